// The tool: replaces a file, or writes into a FIFO or device; counts the lines that it had.

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { argumentAliases } from "@ikigai/protocol";
import { loadSpawning, lockFile, writeAtomically } from "@ikigai/system";
import { checkPath, encodeText, failureFromErrno, followLinks } from "@ikigai/tool-files";
import { defineTool } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";
import { writeInPlace } from "./write-in-place.ts";

export const fileWrite = defineTool({
  name: "file_write",
  description:
    "Create a file, or replace all of it. Use it for a new or a short file; to change a part, use file_edit, which is shorter and keeps the rest. Read a file before you replace it: what you leave out is lost. Its directory must exist: mkdir -p in bash creates it.",
  parameters,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  ikigai: { prestart: true, serves: true, access: { kind: "write-file", path: "file_path" } },
  aliases: argumentAliases["write-file"],
  warmUp() {
    loadSpawning();
    return { output: "", bytes: 0 };
  },
  async run({ file_path, content }, { answerBytes }) {
    const path = checkPath("file_path", file_path);
    const bytes = encodeText("content", content);
    try {
      const before = answerBytes === Number.POSITIVE_INFINITY ? undefined : linesOf(path);
      const lost = isSpecial(path) ? writeInPlace(path, bytes) : await replace(path, bytes);
      const sentence = `Wrote ${bytes.length} bytes to ${basename(path)}`;
      const lines = before !== undefined && { lines_before: before, lines_after: countLines(bytes) };
      return { output: sentence, bytes: bytes.length, ...lines, ...(lost.length > 0 && { warning: lost.join(" ") }) };
    } catch (error) {
      throw failureFromErrno(error, path, "OPEN_FAILED");
    }
  },
});

/** Larger files are not counted, in bytes: no one rewrites one by mistake. */
const maxCountedBytes = 16 * 1_048_576;

/** The number of lines of an existing file; `undefined` if it does not exist or cannot be read. */
function linesOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size <= maxCountedBytes ? countLines(readFileSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

/** A last line without a newline counts. */
function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; lines++) at = bytes.indexOf(0x0a, at) + 1 || bytes.length;
  return lines;
}

/** Whether something other than a regular file exists: it has no content to replace. */
function isSpecial(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

async function replace(path: string, bytes: Uint8Array): Promise<string[]> {
  using lock = await lockFile(followLinks(path));
  return await writeAtomically(lock, bytes);
}
