import { constants, isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { argumentAliases } from "@ikigai/protocol";
import { pathAsSpelled } from "@ikigai/system";
import { checkPath, describeForm, failureFromErrno, openRegularFile } from "@ikigai/tool-files";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { findLines, type LineRange, readRange } from "./read-lines.ts";
import { readPicture } from "./read-picture.ts";
import { output, parameters } from "./schema.ts";

export const fileRead = defineTool({
  name: "file_read",
  description: "Read contents of a file",
  parameters,
  output,
  annotations: { readOnlyHint: true, openWorldHint: false },
  ikigai: { prestart: true, serves: true, answerBytes: 49_152, access: { kind: "read-file", path: "file_path" } },
  aliases: argumentAliases["read-file"],
  recount: ({ output, images }) => ({ lines_read: images ? 0 : countLines(output) }),
  warmUp() {
    const { hint: _, ...answer } = read(process.argv[1] ?? "", { from: 2, count: 1 }, 1_000);
    return answer;
  },
  run({ file_path, offset = 1, limit = Number.POSITIVE_INFINITY }, { maxOutputBytes }) {
    const wanted = checkPath("file_path", file_path);
    const path = pathAsSpelled(wanted);
    try {
      const { hint, ...answer } = read(path, { from: Math.max(offset, 1), count: limit }, maxOutputBytes);
      const hints = [path === wanted ? undefined : spellingHint(path, wanted), hint].filter(Boolean).join(" ");
      return { ...answer, ...(hints !== "" && { hint: hints }) };
    } catch (error) {
      throw failureFromErrno(error, path);
    }
  },
});

function spellingHint(path: string, wanted: string): string {
  const form = describeForm(basename(path), basename(wanted));
  return `This is '${basename(path)}'${form ? ` (${form})` : ""}: there is no '${basename(wanted)}'.`;
}

function read(path: string, lines: Pick<LineRange, "from" | "count">, maxOutputBytes: number) {
  using file = openRegularFile(path);
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

/** Says that the file is UTF-16, or which line is the first that is not UTF-8. */
function encodingHint(
  mark: Buffer,
  bytes: Buffer,
  { firstLine, isCut }: { readonly firstLine: number; readonly isCut: boolean },
): string | undefined {
  const order = mark.length < 2 ? 0 : mark.readUInt16BE(0);
  if (order === 0xfffe || order === 0xfeff) {
    return `The file is ${order === 0xfffe ? "UTF-16LE" : "UTF-16BE"}, not UTF-8: iconv -f UTF-16 -t UTF-8 FILE converts it.`;
  }
  if (isUtf8(bytes)) return undefined;
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf("\n", start) + 1 || bytes.length;
    // The answer's last character may be incomplete.
    const cuts = isCut && end === bytes.length ? [0, 1, 2, 3] : [0];
    if (!cuts.some((cut) => isUtf8(bytes.subarray(start, Math.max(start, end - cut))))) {
      return `Line ${line} is the first that is not UTF-8: U+FFFD (�) stands for other bytes in the file.`;
    }
    start = end;
  }
  return undefined;
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
