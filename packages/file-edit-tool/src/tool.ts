// The tool: reads the edits of a call, makes them in memory, and replaces the file.

import { basename } from "node:path";
import { argumentAliases, argumentsAsRead, type JsonObject } from "@ikigai/protocol";
import { loadSpawning, lockFile, writeAtomically } from "@ikigai/system";
import {
  checkPath,
  checkRegularFile,
  encodeText,
  failureFromErrno,
  followLinks,
  openForTool,
  readSpelling,
} from "@ikigai/tool-files";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import {
  checkEncoding,
  type Edit,
  editedText,
  findOccurrences,
  readWhole,
  replaceBytes,
  withLineEndsOf,
} from "./file-text.ts";
import { explainNotFound } from "./not-found.ts";
import { advertised, oneEdit, output, parameters } from "./schema.ts";

/** How many line numbers are listed for a text that occurs more than once. */
const maxLines = 100;

export const fileEdit = defineTool({
  name: "file_edit",
  description:
    "Edit a file by replacing exact text. Read it first, and copy old_string as it is, with its white space. It must occur once: include lines around it, or set replace_all. If it is not found, the answer has the closest block. For a new file or a complete rewrite, use file_write.",
  parameters,
  advertised,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  errorCodes: ["ENCODING"],
  ikigai: { prestart: true, serves: true, access: { kind: "edit-file", path: "file_path" } },
  aliases: argumentAliases["edit-file"],
  warmUp() {
    loadSpawning();
    return { output: "", replacements: 0 };
  },
  async run({ file_path, edits, old_string = "", new_string = "", replace_all = false }, { answerBytes }) {
    const { path, hint } = readSpelling(checkPath("file_path", file_path));
    const given = edits?.map(readEdit) ?? [{ old_string, new_string, replace_all }];
    try {
      const { count, lost } = await editFile(path, given.map(checkEdit));
      const sentence = `Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in ${basename(path)}`;
      const warning = lost.length > 0 && { warning: lost.join(" ") };
      return { output: sentence, replacements: count, ...(hint !== undefined && { hint }), ...warning };
    } catch (error) {
      const failure = error instanceof RangeError ? tooLarge() : failureFromErrno(error, path);
      throw answerBytes === Number.POSITIVE_INFINITY ? withoutFound(failure) : failure;
    }
  },
});

interface GivenEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** Only a model needs the block and the line that it sends back. */
function withoutFound(failure: unknown): unknown {
  if (!(failure instanceof ToolFailure) || failure.details.found === undefined) return failure;
  const { code, message, details } = failure as ToolFailure<string>;
  const { found: _, lines: __, ...others } = details;
  return new ToolFailure<string>(code, message, others);
}

/** Reads one of several edits, which has the names and types of a call of its own. */
function readEdit(given: Readonly<Record<string, unknown>>, index: number): GivenEdit {
  const reading = { parameters: oneEdit as unknown as JsonObject, aliases: argumentAliases["edit-file"] };
  const { old_string, new_string, replace_all = false } = argumentsAsRead(given as JsonObject, reading);
  if (typeof old_string === "string" && typeof new_string === "string" && typeof replace_all === "boolean")
    return { old_string, new_string, replace_all };
  const keys = Object.keys(given).join(", ");
  throw new ToolFailure(
    "INVALID_PARAMS",
    `Expected edits.${index} to have the strings "old_string" and "new_string", got ${keys || "{}"}`,
  );
}

function checkEdit(
  { old_string: oldString, new_string: newString, replace_all: all = false }: GivenEdit,
  index: number,
  edits: readonly GivenEdit[],
): Edit {
  return naming(index, edits.length, () => {
    if (oldString === "") throw new ToolFailure("INVALID_ARG", "old_string cannot be empty");
    const edit = { wanted: encodeText("old_string", oldString), replacement: encodeText("new_string", newString), all };
    if (oldString === newString) throw new ToolFailure("INVALID_ARG", "old_string and new_string are identical");
    return edit;
  });
}

/** Does one of several edits; its failure says which one it is. */
function naming<Result>(index: number, count: number, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (count === 1 || !(error instanceof ToolFailure)) throw error;
    const { code, message, details } = error as ToolFailure<string>;
    const hint = [`This is edit ${index + 1} of ${count}; none was made.`, details.hint].filter(Boolean).join(" ");
    throw new ToolFailure<string>(code, message, { ...details, hint });
  }
}

function tooLarge(): ToolFailure {
  return new ToolFailure("OUT_OF_MEMORY", "Out of memory during edit", { hint: "The file is too large to edit." });
}

/** Reads, replaces and writes under one lock, so that concurrent edits are not lost. Several edits are made in order, or none. */
async function editFile(path: string, edits: readonly Edit[]): Promise<{ count: number; lost: string[] }> {
  // Checked before a lock is created beside it.
  checkRegularFile(path);
  using lock = await lockFile(followLinks(path));
  using file = openForTool(lock.target);
  const { bytes: before, encode } = editedText(readWhole(file));
  const warnings = new Set<string>();
  let bytes = before;
  let count = 0;
  for (const [index, given] of edits.entries()) {
    naming(index, edits.length, () => {
      checkEncoding(before, given.replacement);
      const { edit, warning } = withLineEndsOf(before, given);
      if (warning !== undefined) warnings.add(warning);
      const times = countToReplace(bytes, edit);
      if (times > 0) bytes = replaceBytes(bytes, edit.wanted, edit.replacement, times);
      count += times;
    });
  }
  if (count === 0) return { count, lost: [] };
  const lost = await writeAtomically(lock, encode(bytes), file.stats);
  return { count, lost: [...lost, ...warnings] };
}

function countToReplace(bytes: Buffer, { wanted, all }: Edit): number {
  const { count, lines } = findOccurrences(bytes, wanted, all ? 0 : maxLines);
  if (all || count === 1) return count;
  if (count === 0) throw new ToolFailure("NOT_FOUND", "String not found in file", explainNotFound(bytes, wanted));
  throw new ToolFailure("NOT_UNIQUE", `String found ${count} times, use replace_all to replace all`, { lines });
}
