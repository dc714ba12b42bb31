// The tool: for a model a part that fits, with hints (`read-for-model.ts`), for programs the lines that were asked for.

import { constants } from "node:buffer";
import { argumentAliases } from "@ikigai/protocol";
import { checkPath, failureFromErrno, openForTool, readSpelling } from "@ikigai/tool-files";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { readPicture } from "./binary.ts";
import { countLines, readForModel } from "./read-for-model.ts";
import { output, parameters } from "./schema.ts";
import { encodingHint, findLines, type LineRange, readRange } from "./text.ts";

export const fileRead = defineTool({
  name: "file_read",
  description:
    "Read a file: text, a picture, a notebook's cells or a PDF's pages. Long files come in parts: continue with the offset that the hint names, or read only what you need with offset and limit. To find a place in files, use grep; for other binary files and directories, bash. Read a file before you edit it.",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: { prestart: true, serves: true, answerBytes: 49_152, access: { kind: "read-file", path: "file_path" } },
  aliases: argumentAliases["read-file"],
  recount: ({ output, images, documents }) => ({
    lines_read: (images ?? documents) && !output.includes("\n") ? 0 : countLines(output),
  }),
  async warmUp() {
    const wanted = { from: 2, count: 1, maxBytes: 2_000, raw: false, directory: undefined };
    const { hint: _, ...answer } = await readForModel(process.argv[1] ?? "", wanted);
    return answer;
  },
  async run(
    { file_path, offset = 1, limit = Number.POSITIVE_INFINITY, raw = false },
    { maxOutputBytes, answerBytes, env: { IKIGAI_OUTPUTS_DIR } },
  ) {
    const { path, hint: spelling } = readSpelling(checkPath("file_path", file_path));
    try {
      const lines = { from: Math.max(offset, 1), count: limit };
      const { hint, ...answer } = Number.isFinite(answerBytes)
        ? await readForModel(path, { ...lines, raw, maxBytes: maxOutputBytes, directory: IKIGAI_OUTPUTS_DIR })
        : read(path, lines, maxOutputBytes);
      const hints = [spelling, hint].filter(Boolean).join(" ");
      return { ...answer, ...(hints !== "" && { hint: hints }) };
    } catch (error) {
      throw failureFromErrno(error, path);
    }
  },
});

function read(path: string, lines: Pick<LineRange, "from" | "count">, maxOutputBytes: number) {
  using file = openForTool(path);
  const picture = readPicture(path, file);
  if (picture) return { ...picture, hint: undefined };
  // One byte more than the host accepts, to trigger truncation if something is missing.
  const maxBytes = Math.min(maxOutputBytes + 1, constants.MAX_STRING_LENGTH);
  const { start, end } = findLines(file, { ...lines, maxBytes });
  if (maxOutputBytes === Number.POSITIVE_INFINITY && end - start > maxBytes) throw tooLong(path);
  const bytes = readRange(file.fd, { start, end: Math.min(end, start + maxBytes) });
  const text = bytes.toString("utf8");
  const mark = start === 0 ? bytes : readRange(file.fd, { start: 0, end: 2 });
  const hint = encodingHint(mark, bytes, { firstLine: lines.from, isCut: bytes.length >= maxBytes });
  return { output: text, lines_read: countLines(text), hint };
}

function tooLong(path: string): ToolFailure {
  const hint = `That is more than ${constants.MAX_STRING_LENGTH} bytes. Ask for fewer lines with offset and limit.`;
  return new ToolFailure("READ_FAILED", `Failed to read file: ${path}`, { hint });
}
