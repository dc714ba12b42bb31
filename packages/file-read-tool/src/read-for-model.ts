// Reads a file for a model: a picture is shown, UTF-16 and notebooks become text, other bytes are refused with what to use, and what is
// cut says how to go on.

import { statSync } from "node:fs";
import { headEnd } from "@ikigai/system";
import { openForTool, type RegularFile } from "@ikigai/tool-files";
import { binaryFile, directoryRead, readPdf, readPicture } from "./binary.ts";
import { type Notebook, readNotebook } from "./notebook.ts";
import { encodingHint, findLines, isAtEnd, markedEncoding, readRange } from "./text.ts";

/** What a model asks for. */
export interface Wanted {
  readonly from: number;
  /** How many lines; `Infinity` for all. */
  readonly count: number;
  /** How long the answer may be, in bytes. */
  readonly maxBytes: number;
  /** Whether a notebook is read as the JSON that it is. */
  readonly raw: boolean;
  /** Where pictures go. */
  readonly directory: string | undefined;
}

/** An answer for a model. */
export interface ModelAnswer {
  readonly output: string;
  readonly lines_read: number;
  readonly total_lines?: number;
  readonly images?: Notebook["images"];
  readonly documents?: Notebook["images"];
  readonly hint?: string | undefined;
  readonly truncated?: true;
}

/** How much of a file tells a text from other bytes, in bytes. */
const beginningBytes = 8_192;

/** The largest file that is converted to text, in bytes. */
const maxConvertedBytes = 52_428_800;

/** Space for the rest of the answer, in bytes: numbers and two hints. */
const frameBytes = 600;

/** Reads a file. @throws ToolFailure `BINARY_FILE`, `IMAGE_TOO_LARGE`, `OPEN_FAILED`; the system's error. */
export async function readForModel(path: string, wanted: Wanted): Promise<ModelAnswer> {
  if (statSync(path).isDirectory()) throw directoryRead(path);
  using file = openForTool(path);
  const picture = readPicture(path, file);
  if (picture) return picture;
  const beginning = readRange(file.fd, { start: 0, end: beginningBytes });
  const size = Number(file.stats.size);
  const encoding = markedEncoding(beginning);
  const isConvertible = size <= maxConvertedBytes;
  if (encoding && isConvertible) {
    const text = new TextDecoder(encoding).decode(readRange(file.fd, { start: 0, end: size }));
    return ofText(text, wanted, { hint: `The file is ${encoding.toUpperCase()}; this is its text.` });
  }
  if (beginning.toString("latin1").startsWith("%PDF-"))
    return readPdf(path, { ...wanted, room: roomIn(wanted.maxBytes), bytes: size });
  if (beginning.includes(0)) throw binaryFile(path, beginning, size);
  if (path.endsWith(".ipynb") && !wanted.raw && isConvertible) {
    const notebook = readNotebook(readRange(file.fd, { start: 0, end: size }), wanted.directory);
    if (notebook) return ofNotebook(notebook, wanted);
  }
  return ofLines(file, beginning, wanted);
}

function ofNotebook({ text, images }: Notebook, wanted: Wanted): ModelAnswer {
  const answer = ofText(text, wanted, { hint: 'A notebook as text; "raw": true reads its JSON.' });
  return images.length > 0 && wanted.from === 1 ? { ...answer, images } : answer;
}

/** Takes the wanted lines of a whole text. */
function ofText(text: string, { from, count, maxBytes }: Wanted, { hint }: { readonly hint: string }): ModelAnswer {
  const lines = text.split(/(?<=\n)/);
  const total = text === "" ? 0 : lines.length;
  const some = lines.slice(from - 1, from - 1 + Math.max(count, 0)).join("");
  return fitted(some, { from, maxBytes, hints: [hint], total, isToEnd: from - 1 + count >= total });
}

function ofLines(file: RegularFile, beginning: Buffer, { from, count, maxBytes }: Wanted): ModelAnswer {
  // A byte more than fits, to see whether something is missing.
  const { start, end, lines: past } = findLines(file, { from, count, maxBytes: maxBytes + 1 });
  const bytes = readRange(file.fd, { start, end: Math.min(end, start + maxBytes + 1) });
  const isCut = bytes.length > maxBytes;
  const text = bytes.toString("utf8");
  const hint = encodingHint(beginning, bytes, { firstLine: from, isCut });
  const isToEnd = !isCut && isAtEnd(file.fd, start + bytes.length);
  const total = past ?? (isToEnd ? from - 1 + countLines(text) : undefined);
  return fitted(text, { from, maxBytes, hints: hint === undefined ? [] : [hint], total, isToEnd });
}

interface Fitting {
  readonly from: number;
  readonly maxBytes: number;
  readonly hints: readonly string[];
  /** How many lines the file has, if that is known. */
  readonly total: number | undefined;
  readonly isToEnd: boolean;
}

/** Space for the text. */
function roomIn(maxBytes: number): number {
  return maxBytes - Math.min(frameBytes, maxBytes / 2);
}

/** Cuts a text at a line end if it is too long, and says how to go on. */
function fitted(text: string, { from, maxBytes, hints, total, isToEnd }: Fitting): ModelAnswer {
  const room = roomIn(maxBytes);
  const isWhole = Buffer.byteLength(JSON.stringify(text)) <= room;
  const output = isWhole ? text : text.slice(0, headEnd(text, room));
  const lines = countLines(output);
  const all = total !== undefined && isToEnd ? { total_lines: total } : {};
  if (isWhole) {
    const past =
      total !== undefined && from > total && from > 1
        ? [`The file has ${total} ${total === 1 ? "line" : "lines"}.`]
        : [];
    return withHint({ output, lines_read: lines, ...all }, [...hints, ...past]);
  }
  const isLineCut = !output.endsWith("\n");
  const cut = isLineCut
    ? `Line ${from + lines - 1} is cut: it is longer than an answer. The next one is offset ${from + lines}.`
    : `Cut after line ${from + lines - 1}${total === undefined ? "" : ` of ${total}`}: continue with offset ${from + lines}.`;
  return withHint({ output, lines_read: lines, ...all, truncated: true }, [...hints, cut]);
}

function withHint(answer: ModelAnswer, hints: readonly string[]): ModelAnswer {
  return hints.length === 0 ? answer : { ...answer, hint: hints.join(" ") };
}

/** A last line without a newline, or cut off, counts. */
export function countLines(text: string): number {
  let lines = 0;
  for (let index = 0; index < text.length; lines++) index = text.indexOf("\n", index) + 1 || text.length;
  return lines;
}
