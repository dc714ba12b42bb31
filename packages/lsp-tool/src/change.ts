// Changes that a server proposes: renaming a symbol, and code actions such as quick fixes. They are shown, or written to the project's files.

import { readFileSync, statSync } from "node:fs";
import { isInside, lockFile, realPathOf, writeAtomically } from "@ikigai/system";
import { failureFromErrno } from "@ikigai/tool-files";
import { ToolFailure } from "@ikigai/tool-sdk";
import type { CodeAction, Command, Position, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import type { LanguageServer } from "./language-server.ts";
import { asked, type Found, positionOf, type Spot } from "./look-up.ts";
import { maxLine, shortPath } from "./problems.ts";
import { linesOf, pathOf, uriOf } from "./server-messages.ts";

/** What is to be done with the edits. */
interface Wish {
  readonly apply: boolean;
  /** The file that the call names. */
  readonly path: string;
  readonly projectDir: string;
}

export interface Changed extends Found {
  readonly applied?: boolean;
}

export async function rename(
  server: LanguageServer,
  spot: Spot,
  newName: string | undefined,
  wish: Wish,
): Promise<Changed> {
  if (!newName) throw new ToolFailure("INVALID_ARG", "Expected new_name, got nothing");
  const edit = await server.request<WorkspaceEdit | null>("textDocument/rename", { ...asked(spot), newName });
  return changed(edit ? [edit] : [], wish);
}

/** Lists the actions for a line; with the title of one, shows or applies it. */
export async function actions(
  server: LanguageServer,
  spot: Spot,
  title: string | undefined,
  wish: Wish,
): Promise<Changed> {
  const found = await actionsAt(server, spot);
  if (title === undefined) {
    const lines = found.map((one) => `${one.title}${"kind" in one && one.kind ? ` (${one.kind})` : ""}`);
    return { output: lines.join("\n"), count: found.length };
  }
  const action = found.find((one) => one.title === title) ?? found.find((one) => one.title.startsWith(title));
  if (!action) {
    const hint =
      found.length === 0 ? "This line has no actions." : `There are: ${found.map((one) => one.title).join("; ")}`;
    throw new ToolFailure("NOT_FOUND", `There is no action "${title}"`, { hint });
  }
  return changed(await editsOf(server, action), wish);
}

async function actionsAt(server: LanguageServer, spot: Spot): Promise<readonly (CodeAction | Command)[]> {
  const start = positionOf(spot);
  const length = spot.symbol?.length ?? (linesOf(spot.path)[start.line] ?? "").length - start.character;
  const range = { start, end: { line: start.line, character: start.character + Math.max(0, length) } };
  const all = (await server.diagnosticsOf(spot.path)) ?? [];
  const diagnostics = all.filter(({ range: of }) => of.start.line <= start.line && of.end.line >= start.line);
  const params = { textDocument: { uri: uriOf(spot.path) }, range, context: { diagnostics } };
  const found = await server.request<readonly (CodeAction | Command)[] | null>("textDocument/codeAction", params);
  return (found ?? []).filter((one) => !("disabled" in one && one.disabled));
}

async function editsOf(server: LanguageServer, action: CodeAction | Command): Promise<readonly WorkspaceEdit[]> {
  if (isCommand(action)) return server.edits(action.command, action.arguments ?? []);
  const needsMore = action.edit === undefined && action.command === undefined;
  const whole = needsMore ? await server.request<CodeAction>("codeAction/resolve", action) : action;
  const later = whole.command ? await server.edits(whole.command.command, whole.command.arguments ?? []) : [];
  return [...(whole.edit ? [whole.edit] : []), ...later];
}

function isCommand(action: CodeAction | Command): action is Command {
  return typeof action.command === "string";
}

/** The new text of a file, and the old one. */
interface NewText {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly count: number;
}

async function changed(edits: readonly WorkspaceEdit[], { apply, path, projectDir }: Wish): Promise<Changed> {
  const files = [...byFile(edits, projectDir)].map(([path, list]) => withEdits(path, list));
  const count = files.reduce((sum, file) => sum + file.count, 0);
  const output = files.map((file) => describe(file, projectDir)).join("\n");
  if (!apply || files.length === 0) {
    const hint = files.length === 0 ? "The server proposes no change." : "Nothing was written: apply does it.";
    return { output, count, files: files.length, hint };
  }
  // Permission was given for the named file. The sandbox holds the others to what may be changed without a question.
  const other = process.env.IKIGAI_SANDBOX ? undefined : files.find((file) => file.path !== realPathOf(path));
  if (other)
    throw new ToolFailure("PERMISSION_DENIED", `The change also concerns ${shortPath(other.path, projectDir)}`, {
      hint: "Without a sandbox only the named file is written. Leave out apply, and make the edits that are shown.",
    });
  for (const file of files) await write(file);
  return { output, count, files: files.length, applied: true };
}

/** The edits of each file. @throws ToolFailure for what is no edit of a file of the project. */
function byFile(edits: readonly WorkspaceEdit[], projectDir: string): Map<string, TextEdit[]> {
  const all = new Map<string, TextEdit[]>();
  const add = (uri: string, list: readonly TextEdit[]) => {
    const path = pathOf(uri);
    const real = path === undefined ? undefined : realPathOf(path);
    // Files with a dot before their name, such as those of git and ikigai, determine what runs.
    if (
      real === undefined ||
      !isInside(real, projectDir) ||
      shortPath(real, projectDir)
        .split("/")
        .some((part) => part.startsWith("."))
    )
      throw new ToolFailure(
        "PERMISSION_DENIED",
        `The change also concerns ${path ?? uri}, which is outside the project or hidden`,
      );
    all.set(real, [...(all.get(real) ?? []), ...list]);
  };
  for (const { changes = {}, documentChanges } of edits) {
    for (const one of documentChanges ?? []) {
      if (!("textDocument" in one))
        throw new ToolFailure("INVALID_ARG", `The change would also ${one.kind} a file: do that yourself`);
      add(one.textDocument.uri, one.edits as TextEdit[]);
    }
    if (!documentChanges) for (const [uri, list] of Object.entries(changes)) add(uri, list);
  }
  return all;
}

function withEdits(path: string, edits: readonly TextEdit[]): NewText {
  const before = read(path);
  const starts = [0];
  for (let index = before.indexOf("\n"); index >= 0; index = before.indexOf("\n", index + 1)) starts.push(index + 1);
  const offsetOf = ({ line, character }: Position) =>
    Math.min((starts[line] ?? before.length) + character, before.length);
  const placed = edits
    .map(({ range, newText }) => ({ from: offsetOf(range.start), to: offsetOf(range.end), newText }))
    .sort((a, b) => a.from - b.from);
  let after = "";
  let at = 0;
  for (const { from, to, newText } of placed) {
    if (from < at) throw new ToolFailure("INVALID_ARG", "The server's edits overlap");
    after += before.slice(at, from) + newText;
    at = to;
  }
  return { path, before, after: after + before.slice(at), count: edits.length };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw failureFromErrno(error, path);
  }
}

/** The lines that differ, old and new. */
function describe({ path, before, after }: NewText, projectDir: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const name = shortPath(path, projectDir);
  if (old.length !== now.length) {
    const first = old.findIndex((line, index) => line !== now[index]);
    return `${name}:${first + 1}: ${old.length} lines become ${now.length}\n${now
      .slice(first, first + 8)
      .map((line) => `+ ${line.slice(0, maxLine)}`)
      .join("\n")}`;
  }
  const lines = old.flatMap((line, index) =>
    line === now[index]
      ? []
      : [`${name}:${index + 1}:\n- ${line.slice(0, maxLine)}\n+ ${(now[index] ?? "").slice(0, maxLine)}`],
  );
  return lines.join("\n");
}

async function write({ path, before, after }: NewText): Promise<void> {
  try {
    using lock = await lockFile(path);
    const stats = statSync(path, { bigint: true });
    if (readFileSync(path, "utf8") !== before)
      throw new ToolFailure("WRITE_FAILED", `${path} has changed in the meantime`, { hint: "Make the call again." });
    await writeAtomically(lock, Buffer.from(after), stats);
  } catch (error) {
    throw failureFromErrno(error, path);
  }
}
