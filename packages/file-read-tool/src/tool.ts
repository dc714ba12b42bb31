import { constants } from "node:buffer";
import { argumentAliases } from "@ikigai/protocol";
import { checkPath, failureFromErrno, openRegularFile } from "@ikigai/tool-files";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { findLines, type LineRange, readRange } from "./read-lines.ts";
import { output, parameters } from "./schema.ts";

export const fileRead = defineTool({
  name: "file_read",
  description: "Read contents of a file",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: { prestart: true, serves: true, access: { kind: "read-file", path: "file_path" } },
  aliases: argumentAliases["read-file"],
  recount: ({ output }) => ({ lines_read: countLines(output) }),
  warmUp: () => read(process.argv[1] ?? "", { from: 2, count: 1 }, 1_000),
  run({ file_path, offset = 1, limit = Number.POSITIVE_INFINITY }, { maxOutputBytes }) {
    checkPath("file_path", file_path);
    try {
      return read(file_path, { from: Math.max(offset, 1), count: limit }, maxOutputBytes);
    } catch (error) {
      throw failureFromErrno(error, file_path);
    }
  },
});

function read(path: string, lines: Pick<LineRange, "from" | "count">, maxOutputBytes: number) {
  using file = openRegularFile(path);
  // One byte more than the host accepts, to trigger truncation if something is missing.
  const maxBytes = Math.min(maxOutputBytes + 1, constants.MAX_STRING_LENGTH);
  const { start, end } = findLines(file, { ...lines, maxBytes });
  if (maxOutputBytes === Number.POSITIVE_INFINITY && end - start > maxBytes) throw tooLong(path);
  const text = readRange(file.fd, { start, end: Math.min(end, start + maxBytes) }).toString("utf8");
  return { output: text, lines_read: countLines(text) };
}

/** A last line without a newline, or cut off, counts. */
function countLines(text: string): number {
  let lines = 0;
  for (let index = 0; index < text.length; lines++) index = text.indexOf("\n", index) + 1 || text.length;
  return lines;
}

function tooLong(path: string): ToolFailure {
  const hint = `That is more than ${constants.MAX_STRING_LENGTH} bytes. Ask for fewer lines with offset and limit.`;
  return new ToolFailure("READ_FAILED", `Failed to read file: ${path}`, { hint });
}
