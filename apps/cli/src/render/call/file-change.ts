// The change that a call makes to a file. In reading order: what changes, from the arguments and the present file or from a log; then its lines
// as they are shown, and the plan of an undo.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { UndoPlan } from "@ikigai/git-files";
import type { JsonObject } from "@ikigai/protocol";
import { decisiveFileAt } from "@ikigai/sandbox";
import { type DiffLine, diffLines, nearLines, sanitiseStrictly } from "@ikigai/screen";
import type { ProjectUndo } from "@ikigai/session";
import { readRegularFile, utf8Text } from "@ikigai/system";
import { parseObject } from "../json.ts";
import type { LineOutput } from "../line-output.ts";
import type { QuestionLine } from "../question/question-rows.ts";
import { fileSize, shortPath } from "../short-forms.ts";
import { type ShownCall, underOwnNames } from "./render-call.ts";

/** The change that a write or an edit would make to a file. */
export interface FileChange {
  /** As the model wrote it. */
  readonly path: string;
  /** All lines, including unchanged ones. */
  readonly lines: readonly DiffLine[];
  /** Whether the lines are only the replaced ones, and where they are in the file is unknown. */
  readonly isExcerpt?: boolean;
  /** Anything the lines do not show, such as that the file is new. */
  readonly remark?: string;
}

/** Larger files are not diffed, in bytes. */
const maxComparedBytes = 4 * 1_048_576;

/** The text of a file at a path. */
type ReadFile = (path: string) => { readonly text: string } | "missing" | "unreadable";

/**
 * The change a call of the system's `file_write` or `file_edit` would make; undefined for other calls. Runs nothing.
 *
 * @param read reads the file, by default as it is now
 */
export function fileChange(
  name: string,
  given: JsonObject,
  cwd: string,
  read: ReadFile = readText,
): FileChange | undefined {
  const args = underOwnNames(name, given);
  const { file_path: path, content } = args;
  if (typeof path !== "string") return undefined;
  if (name === "file_write" && typeof content === "string") return writeChange(path, content, read(resolve(cwd, path)));
  if (name !== "file_edit") return undefined;
  const replacement = replacementIn(args);
  return replacement && editChange(path, replacement, read(resolve(cwd, path)));
}

/** An earlier call. */
type PastCall = Pick<ShownCall, "name" | "arguments"> & {
  /** The copy of the file from before it; `null` if there was no file. */
  readonly before?: string | null | undefined;
};

/** The change of an earlier call: all of it if the old content is known, else what a `file_edit` replaced. */
export function pastChange({ name, arguments: text, before: copy }: PastCall, cwd: string): FileChange | undefined {
  const args = parsedCall(name, text);
  if (args && copy !== undefined)
    return fileChange(name, args, cwd, () => (copy === null ? "missing" : readText(copy)));
  const replacement = args && name === "file_edit" ? replacementIn(args) : undefined;
  if (replacement === undefined || typeof args?.file_path !== "string") return undefined;
  const { before, after } = replacement;
  return { path: args.file_path, lines: diffLines(toLines(before), toLines(after)), isExcerpt: true };
}

/** What an earlier call of `file_write` wrote; what it replaced is not known any more. */
export function pastWrite({ name, arguments: text }: Pick<ShownCall, "name" | "arguments">): FileChange | undefined {
  const { file_path: path, content } = (name === "file_write" ? parsedCall(name, text) : undefined) ?? {};
  if (typeof path !== "string" || typeof content !== "string") return undefined;
  return { path, lines: diffLines([], toLines(content)), remark: "the whole file" };
}

function parsedCall(name: string, text: string): JsonObject | undefined {
  const args = parseObject(text);
  return args && underOwnNames(name, args);
}

function replacementIn(args: JsonObject): Replacement | undefined {
  const { old_string: before, new_string: after } = args;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  return { before, after, everywhere: args.replace_all === true };
}

function writeChange(path: string, content: string, old: ReturnType<ReadFile>): FileChange {
  if (old === "missing") return { path, lines: diffLines([], toLines(content)), remark: "new file" };
  if (old === "unreadable")
    return { path, lines: diffLines([], toLines(content)), remark: "overwrites the existing file" };
  return { path, ...compare(old.text, content) };
}

interface Replacement {
  readonly before: string;
  readonly after: string;
  readonly everywhere: boolean;
}

function editChange(path: string, { before, after, everywhere }: Replacement, old: ReturnType<ReadFile>): FileChange {
  if (typeof old === "string") {
    const remark = old === "missing" ? "file not found" : "cannot show the file";
    return { path, lines: diffLines(toLines(before), toLines(after)), remark };
  }
  const pieces = before === "" ? [] : old.text.split(before);
  const places = Math.max(0, pieces.length - 1);
  if (places === 1 || (everywhere && places > 1)) {
    const changed = compare(old.text, pieces.join(after));
    return { path, ...changed, ...(places > 1 && { remark: `${places} places` }) };
  }
  return { path, lines: diffLines(toLines(before), toLines(after)), remark: `old text found ${places} times` };
}

function compare(old: string, now: string): Pick<FileChange, "lines" | "remark"> {
  const lines = diffLines(toLines(old), toLines(now));
  if (lines.some(({ sign }) => sign !== " ")) return { lines };
  return { lines, remark: old === now ? "no change" : "only the final newline changes" };
}

/** Splits a text into lines; a final newline does not add an empty one. */
function toLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Reads a text to compare. */
function readText(path: string): ReturnType<ReadFile> {
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return "missing";
    return size > maxComparedBytes ? "unreadable" : { text: readRegularFile(path).toString() };
  } catch {
    return "unreadable";
  }
}

/** Rows shown of a change that is not asked about: most changes are shorter. */
export const maxChangeRows = 30;

/** The lines added and removed, and the remark: `+3 −1, new file`. */
export function renderChangeSize({ lines, remark }: FileChange, { signs }: Pick<LineOutput, "signs">): string {
  const count = (sign: DiffLine["sign"]) => lines.filter((line) => line.sign === sign).length;
  return `+${count("+")} ${signs.minus}${count("-")}${remark === undefined ? "" : `, ${remark}`}`;
}

/** A line of a change as it is shown: sanitised, without tabs. */
export type ShownLine = Pick<DiffLine, "sign" | "text">;

/** Styles the shown lines of the file at `path`, one look for each: their colours depend on each other. */
export type PaintChange = (
  lines: readonly ShownLine[],
  path: string | undefined,
) => readonly Pick<QuestionLine, "look" | "marginLook" | "ground">[];

/** Colours the changed lines. */
function plainPaint({ green, red, dim }: LineOutput["style"]): PaintChange {
  const looks = {
    "+": { look: green, marginLook: green },
    "-": { look: red, marginLook: red },
    " ": { marginLook: dim },
  };
  return (lines) => lines.map(({ sign }) => looks[sign]);
}

/** All changed lines, with context. */
export function renderChange(
  change: Pick<FileChange, "lines" | "isExcerpt">,
  screen: Pick<LineOutput, "style" | "signs">,
): string[] {
  return changedLines(change, screen).map(renderLine);
}

/** A line of a question in one row. */
export function renderLine({ margin, text, look = same, marginLook = same }: QuestionLine): string {
  return `${marginLook(text === "" ? margin.trimEnd() : margin)}${look(text, 0)}`;
}

const same = (text: string) => text;

/** As `renderChange`, with the margin separate from each line's text. */
export function changedLines(
  { lines, isExcerpt = false, path }: Pick<FileChange, "lines" | "isExcerpt"> & Partial<Pick<FileChange, "path">>,
  { style, signs }: Pick<LineOutput, "style" | "signs">,
  paint = plainPaint(style),
): QuestionLine[] {
  const width = isExcerpt ? 0 : String(lines.at(-1)?.number ?? 0).length;
  const near = nearLines(lines);
  const texts = near.map(({ line: { sign, text } }) => ({
    sign,
    text: sanitiseStrictly(text).replaceAll("\t", "    "),
  }));
  const looks = paint(texts, path);
  return near.flatMap(({ line: { sign, number }, isAfterGap }, at) => {
    const margin = `${isExcerpt ? "" : String(number).padStart(width)} ${sign} `;
    const shown = { ...looks[at], margin, text: texts[at]?.text ?? "" };
    const gap = { margin: `${" ".repeat(width)} ${signs.cut}`, marginLook: style.dim, text: "" };
    return isAfterGap ? [gap, shown] : [shown];
  });
}

/** More would scroll away what matters: how many, and the question. */
const maxRows = 20;

/**
 * What an undo would change, one line each: first what the user has changed since, and so stays, then what determines what runs.
 *
 * @throws AgentError `undo_failed`.
 */
export async function renderPlan(
  { undo }: ProjectUndo,
  { changes, stays, isMixed }: UndoPlan,
  places: Parameters<typeof shortPath>[1],
): Promise<string> {
  const sizes = await undo.sizes(changes.flatMap(({ to }) => (to === undefined ? [] : [to.object])));
  const path = (name: string) => shortPath(join(undo.root, utf8Text(name)), places);
  const whatHappens = ({ name, from, to }: UndoPlan["changes"][number]) => {
    if (to === undefined) return `${path(name)} is removed`;
    if (from?.object === to.object) return `${path(name)} gets back its permissions`;
    return `${path(name)} is restored (${fileSize(sizes.get(to.object) ?? 0)})`;
  };
  const why = ({ name }: { readonly name: string }) =>
    decisiveFileAt({ path: join(undo.root, utf8Text(name)), project: undo.root, userHome: undefined })?.why;
  const deciding = changes.filter((change) => why(change) !== undefined);
  const others = changes.filter((change) => why(change) === undefined);
  const rows = [
    ...stays.map(({ name }) => `${path(name)} stays: you changed it since`),
    ...deciding.map((change) => `${whatHappens(change)}; ${why(change)}`),
    ...others.map(whatHappens),
  ];
  const left = rows.length - maxRows;
  const mixed = "A call is running: what you have changed since it began counts as its work, and is undone, too.";
  return [...rows.slice(0, maxRows), ...(left > 0 ? [`… and ${left} more`] : []), ...(isMixed ? [mixed] : [])]
    .map((row) => `  ${row}\n`)
    .join("");
}
