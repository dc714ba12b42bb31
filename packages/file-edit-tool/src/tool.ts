import { basename } from "node:path";
import { argumentAliases } from "@ikigai/protocol";
import { loadSpawning, lockFile, writeAtomically } from "@ikigai/system";
import {
  checkPath,
  checkRegularFile,
  encodeText,
  failureFromErrno,
  followLinks,
  openRegularFile,
} from "@ikigai/tool-files";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { checkEncoding, type Edit, readWhole, withLineEndsOf } from "./file-text.ts";
import { notFoundHint } from "./not-found-hint.ts";
import { findOccurrences, replaceBytes } from "./replace-bytes.ts";
import { output, parameters } from "./schema.ts";

/** How many line numbers are listed for a text that occurs more than once. */
const maxLines = 100;

export const fileEdit = defineTool({
  name: "file_edit",
  description: "Edit a file by replacing exact text matches. You must read the file before editing.",
  parameters,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  errorCodes: ["ENCODING"],
  ikigai: { prestart: true, serves: true, access: { kind: "edit-file", path: "file_path" } },
  aliases: argumentAliases["edit-file"],
  warmUp() {
    loadSpawning();
    return { output: "", replacements: 0 };
  },
  async run({ file_path, old_string, new_string, replace_all = false }) {
    const path = checkPath("file_path", file_path);
    const edit = checkEdit(old_string, new_string, replace_all);
    try {
      const { count, lost } = await editFile(path, edit);
      const sentence = `Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in ${basename(path)}`;
      return { output: sentence, replacements: count, ...(lost.length > 0 && { warning: lost.join(" ") }) };
    } catch (error) {
      throw error instanceof RangeError ? tooLarge() : failureFromErrno(error, path);
    }
  },
});

function checkEdit(oldString: string, newString: string, all: boolean): Edit {
  if (oldString === "") throw new ToolFailure("INVALID_ARG", "old_string cannot be empty");
  const edit = { wanted: encodeText("old_string", oldString), replacement: encodeText("new_string", newString), all };
  if (oldString === newString) throw new ToolFailure("INVALID_ARG", "old_string and new_string are identical");
  return edit;
}

function tooLarge(): ToolFailure {
  return new ToolFailure("OUT_OF_MEMORY", "Out of memory during edit", { hint: "The file is too large to edit." });
}

/** Reads, replaces and writes under one lock, so that concurrent edits are not lost. */
async function editFile(path: string, given: Edit): Promise<{ count: number; lost: string[] }> {
  // Checked before a lock is created beside it.
  checkRegularFile(path);
  using lock = await lockFile(followLinks(path));
  using file = openRegularFile(lock.target);
  const bytes = readWhole(file);
  checkEncoding(bytes, given.replacement);
  const { edit, warning } = withLineEndsOf(bytes, given);
  const count = countToReplace(bytes, edit);
  if (count === 0) return { count, lost: [] };
  const edited = replaceBytes(bytes, edit.wanted, edit.replacement, count);
  const lost = await writeAtomically(lock, edited, file.stats);
  return { count, lost: warning === undefined ? lost : [...lost, warning] };
}

function countToReplace(bytes: Buffer, { wanted, all }: Edit): number {
  const { count, lines } = findOccurrences(bytes, wanted, all ? 0 : maxLines);
  if (all || count === 1) return count;
  if (count === 0)
    throw new ToolFailure("NOT_FOUND", "String not found in file", { hint: notFoundHint(bytes, wanted) });
  throw new ToolFailure("NOT_UNIQUE", `String found ${count} times, use replace_all to replace all`, { lines });
}
