// /changes: what calls changed in the project, file by file, as git's diffs without their headers.

import { expectedMessage } from "@ikigai/models";
import { textStart } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { openProjectUndo, type ProjectUndo } from "@ikigai/session";
import { fileSize } from "../../render/short-forms.ts";
import type { Session } from "../session.ts";

/** More lines are read in an editor: of one file, and of all together. */
const maxLines = { file: 50, all: 400 };

/** Shows what calls changed in the project: the last ones, those of the last turn, or of the whole session. */
export async function showChanges([which = "turn"]: readonly string[], session: Session): Promise<void> {
  const { screen } = session;
  if (which !== "turn" && which !== "call" && which !== "all")
    return screen.print("Expected /changes, /changes call or /changes all.\n");
  try {
    screen.print(await changesOf(session, which));
  } catch (error) {
    screen.print(screen.style.red(`${sanitise(expectedMessage(error))}\n`));
  }
}

async function changesOf({ agent, screen }: Session, which: "turn" | "call" | "all"): Promise<string> {
  const { id } = agent.conversation;
  const saving = agent.undoOf(id);
  if (saving === undefined) return 'Nothing is saved: the configuration has "undo": false.\n';
  await saving.settled();
  const { undo } = await openProjectUndo({ ...agent.places, env: agent.env }, id);
  const snapshots = await undo.list();
  const isStart = ({ kind }: { readonly kind: string }) => kind === "before";
  const start = which === "all" ? snapshots.findIndex(isStart) : snapshots.findLastIndex(isStart);
  const end = snapshots.findLastIndex(({ kind }) => kind === "after" || kind === "undone");
  const from = snapshots[which === "call" ? end - 1 : start];
  const to = snapshots[end];
  const text = from === undefined || to === undefined || end < start ? "" : await undo.diff(from.id, to.id);
  return text === "" ? `${noChanges(which, from?.text)}\n` : renderDiff(undo, text, screen.style);
}

/** Says what has changed nothing. @param message what the turn began with; absent if no call of the session could change files */
function noChanges(which: "turn" | "call" | "all", message: string | undefined): string {
  if (message === undefined || which === "all") return "No changes in this session.";
  if (which === "call") return "The last calls changed nothing. For the last turn: /changes";
  const said = sanitiseLine(textStart(message, maxMessage));
  const cut = said.length < message.length ? "…" : "";
  return `Nothing has changed since your message "${said}${cut}". For the whole session: /changes all`;
}

/** Shown of a message, in characters. */
const maxMessage = 40;

async function renderDiff(undo: ProjectUndo["undo"], text: string, style: Session["screen"]["style"]): Promise<string> {
  const files = text.split(/^(?=diff --git )/m).map(readFile);
  const sizes = await undo.sizes(files.flatMap(({ objects }) => objects));
  const rows: string[] = [];
  let shown = 0;
  for (const { name, notes, objects, lines, added, removed } of files) {
    if (rows.length >= maxLines.all) break;
    shown++;
    const size = objects.map((object) => fileSize(sizes.get(object) ?? 0)).join(" to ");
    const binary = objects.length === 0 ? [] : [size, "binary or over 1 MiB, so not shown"];
    const counts = lines.length === 0 ? [] : [`+${added} -${removed}`];
    rows.push(`${style.bold(sanitise(name))}  ${style.dim(sanitise([...notes, ...binary, ...counts].join(", ")))}`);
    for (const line of lines.slice(0, maxLines.file)) {
      const clean = sanitise(line);
      rows.push(line.startsWith("+") ? style.green(clean) : line.startsWith("-") ? style.red(clean) : clean);
    }
    if (lines.length > maxLines.file) rows.push(`… ${lines.length - maxLines.file} more lines`);
    rows.push("");
  }
  if (shown < files.length) rows.push(`… and ${files.length - shown} more files`);
  const sum = (of: (file: FileDiff) => number) => files.reduce((total, file) => total + of(file), 0);
  const total = `${files.length} files, +${sum(({ added }) => added)} -${sum(({ removed }) => removed)}\n\n`;
  return `${files.length > 1 ? total : ""}${rows.join("\n").trimEnd()}\n`;
}

interface FileDiff {
  readonly name: string;
  /** What happened to the file as a whole. */
  readonly notes: readonly string[];
  /** The old and new content of a binary file. */
  readonly objects: readonly string[];
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
}

/** Reads git's diff of one file. */
function readFile(text: string): FileDiff {
  const all = text.trimEnd().split("\n");
  const start = all.findIndex((line) => line.startsWith("@@ "));
  const lines = start < 0 ? [] : all.slice(start);
  const head = start < 0 ? all : all.slice(0, start);
  const find = (beginning: string) => head.find((line) => line.startsWith(beginning))?.slice(beginning.length);
  // Both names are the same, unless the file was renamed.
  const names = (head[0] ?? "").slice("diff --git ".length);
  const same = names.slice(0, (names.length - 1) / 2).replace(/^("?)a\//, "$1");
  const [renamed, modes] = [find("rename from "), [find("old mode "), find("new mode ")]];
  const notes = [
    ...(find("new file mode") === undefined ? [] : ["new"]),
    ...(find("deleted file mode") === undefined ? [] : ["deleted"]),
    ...(renamed === undefined ? [] : [`renamed from ${renamed}`]),
    ...(modes[0] === undefined ? [] : [`mode ${modes.join(" to ")}`]),
  ];
  const isBinary = find("Binary files ") !== undefined;
  const [, ...both] = /^(\w+)\.\.(\w+)/.exec(find("index ") ?? "") ?? [];
  const objects = isBinary ? both.filter((object) => !/^0+$/.test(object)) : [];
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { name: find("rename to ") ?? same, notes, objects, lines, added: count("+"), removed: count("-") };
}
