// What comes closest to a text that is not in the file. In reading order: the attempts, from exact but for white space to other forms and
// escapes; then the first difference to the nearest block.

import { isUtf8 } from "node:buffer";
import { textStart } from "@ikigai/protocol";
import { describeDifference, foldLookalikes } from "@ikigai/tool-files";
import { countLineEnds } from "./file-text.ts";

/** How much of a file is searched for similar text, in bytes: a fraction of a second's worth. */
const maxSearchedBytes = 16 * 1_048_576;

/** How much of a line is quoted, in characters. */
const maxQuotedLength = 160;

/** From this likeness on, two texts are worth comparing line by line. */
const minLikeness = 0.5;

/** The longest block that is sent back, in bytes. */
const maxFoundBytes = 4_096;

/** What comes closest to a text that is not in the file. */
export interface Explanation {
  readonly hint: string;
  /** The block of the file that comes closest, exactly, ready to be sent back. */
  readonly found?: string;
  /** The number of its first line. */
  readonly lines?: readonly [number];
}

/** A block of a file, by its offsets in bytes, or of a text, by those in characters. */
interface Block {
  readonly start: number;
  readonly end: number;
}

/** Explains what comes closest to a text that is not in the file, and where. */
export function explainNotFound(file: Buffer, wanted: Buffer): Explanation {
  if (file.length === 0) return { hint: "The file is empty." };
  if (file.length <= maxSearchedBytes) return explainWithin(file, wanted);
  const { hint, ...others } = explainWithin(file.subarray(0, maxSearchedBytes), wanted);
  return { hint: `In the first ${maxSearchedBytes} bytes: ${hint}`, ...others };
}

function explainWithin(bytes: Buffer, wanted: Buffer): Explanation {
  const place = indexIgnoringWhiteSpace(bytes, wanted);
  if (place >= 0) return withFound(bytes, whiteSpaceHint(bytes, wanted, place), spacedBlock(bytes, wanted, place));
  const [text, wantedText] = [bytes.toString("utf8"), wanted.toString("utf8")];
  const lookalike = lookalikeOf(text, wantedText) ?? escapedOf(text, wantedText);
  if (lookalike !== undefined) {
    // Other bytes have other lengths as text.
    if (!isUtf8(bytes)) return { hint: lookalike.hint };
    const block = { start: Buffer.byteLength(text.slice(0, lookalike.start)), end: 0 };
    const end = block.start + Buffer.byteLength(text.slice(lookalike.start, lookalike.end));
    return withFound(bytes, lookalike.hint, { ...block, end });
  }
  const wantedLines = splitLines(wanted);
  const row = longest(wantedLines);
  const close = closestLine(bytes, wantedLines[row] ?? wanted);
  if (close === undefined) return { hint: "No line is similar." };
  const isClose = close.likeness >= minLikeness;
  const hint =
    (isClose && differenceHint(bytes, wantedLines, { ...close, row })) ||
    `The closest line is ${close.number}: ${quoteLineAt(bytes, close.start)}`;
  return isClose ? withFound(bytes, hint, blockAround(bytes, close.start, row, wantedLines.length)) : { hint };
}

/** Adds a block, if a model can send it back. */
function withFound(bytes: Buffer, hint: string, { start, end }: Block): Explanation {
  const block = bytes.subarray(start, end);
  if (block.length === 0 || block.length > maxFoundBytes || !isUtf8(block)) return { hint };
  return { hint, found: block.toString("utf8"), lines: [countLineEnds(bytes.subarray(0, start)) + 1] };
}

/**
 * The block that is equal but for white space. It begins with the indentation, and ends with the end of its line, if the wanted text has
 * white space there.
 */
function spacedBlock(bytes: Buffer, wanted: Buffer, place: number): Block {
  let left = withoutWhiteSpace(wanted).length;
  let end = place;
  for (; left > 0; end++) if (!isWhiteSpace(bytes[end] ?? 0)) left--;
  const lineStart = bytes.lastIndexOf("\n", place) + 1;
  const isIndented = isWhiteSpace(wanted[0] ?? 0) && withoutWhiteSpace(bytes.subarray(lineStart, place)).length === 0;
  const lineEnd = bytes.indexOf("\n", end) + 1 || bytes.length;
  const hasEnd = wanted.at(-1) === 0x0a && withoutWhiteSpace(bytes.subarray(end, lineEnd)).length === 0;
  return { start: isIndented ? lineStart : place, end: hasEnd ? lineEnd : end };
}

/** As many whole lines as are wanted, so that line `row` of them is the one that starts at `start`. The last line's end does not belong to it. */
function blockAround(bytes: Buffer, start: number, row: number, count: number): Block {
  let first = start;
  for (let left = row; left > 0 && first > 0; left--) first = startOfLineBefore(bytes, first);
  let end = start;
  for (let left = count - row; left > 0 && end < bytes.length; left--) end += lineAt(bytes, end).length + 1;
  return { start: first, end: Math.max(start, Math.min(end - 1, bytes.length)) };
}

/** A part of a text that looks like the wanted one, by its offsets in characters. */
interface Lookalike extends Block {
  readonly hint: string;
}

/** Finds a text with other quotes, dashes or spaces, or in another Unicode form. */
function lookalikeOf(text: string, wanted: string): Lookalike | undefined {
  const at = foldLookalikes(text).indexOf(foldLookalikes(wanted));
  if (at >= 0) {
    const end = at + wanted.length;
    const difference = describeDifference(text.slice(at, end), wanted);
    return difference === undefined
      ? undefined
      : { hint: `${lineOf(text, at)} has it, but with ${difference}.`, start: at, end };
  }
  const place = placeInOtherForm(text, wanted);
  return place && { hint: `${lineOf(text, place.start)} has it, but in another Unicode normalization form.`, ...place };
}

/**
 * Where a text is in another Unicode form: the start of its line, and no part of it, if it is too far in its line, or too long, to be sent
 * back. Line by line: the place in a text in one form is not that in the other one.
 */
function placeInOtherForm(text: string, wanted: string): Block | undefined {
  const [composed, form] = [text.normalize(), wanted.normalize()];
  const at = composed.indexOf(form);
  if (at < 0) return undefined;
  const line = composed.lastIndexOf("\n", at) + 1;
  let lineStart = 0;
  for (let left = composed.slice(0, line).split("\n").length - 1; left > 0; left--)
    lineStart = text.indexOf("\n", lineStart) + 1;
  const start = endOfForm(text, lineStart, composed.slice(line, at));
  const end = start === undefined ? undefined : endOfForm(text, start, form);
  return start === undefined || end === undefined ? { start: lineStart, end: lineStart } : { start, end };
}

/** The end of the shortest text of a form, if it is not too far away. */
function endOfForm(text: string, start: number, form: string): number | undefined {
  const last = Math.min(start + maxFoundBytes, text.length);
  for (let end = start; end <= last; end++) if (text.slice(start, end).normalize() === form) return end;
  return undefined;
}

/** Finds a text in which `\n`, `\t` and quotes are escaped once more, or once less, than in the wanted one. */
function escapedOf(text: string, wanted: string): Lookalike | undefined {
  const unescaped = wanted.replace(/\\(?:n|t|"|')/g, (pair) => escapes[pair] ?? pair);
  const escaped = wanted.replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  for (const [meant, what] of [
    [unescaped, 'characters where old_string has escapes (\\n, \\t, \\") as text'],
    [escaped, "the text \\n or \\t where old_string has a line break or a tab"],
  ] as const) {
    const start = meant === wanted ? -1 : text.indexOf(meant);
    if (start >= 0)
      return { hint: `${lineOf(text, start)} has it, but with ${what}.`, start, end: start + meant.length };
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'" };

function lineOf(text: string, at: number): string {
  return `Line ${text.slice(0, at).split("\n").length}`;
}

function whiteSpaceHint(bytes: Buffer, wanted: Buffer, place: number): string {
  const number = countLineEnds(bytes.subarray(0, place)) + 1;
  const lf = wanted.toString("latin1").replaceAll("\r\n", "\n");
  if (bytes.includes(lf, 0, "latin1")) return `Line ${number} has it, but with \\n at the line ends, not \\r\\n.`;
  const crlf = lf.replaceAll("\n", "\r\n");
  if (bytes.includes(crlf, 0, "latin1")) return `Line ${number} has it, but with \\r\\n at the line ends, not \\n.`;
  const start = bytes.lastIndexOf("\n", place) + 1;
  return `Line ${number} has it, but with other white space: ${quoteLineAt(bytes, start)}`;
}

/** Aligns the wanted lines with the file, line `row` with the closest one, and reports the first difference. */
function differenceHint(
  bytes: Buffer,
  wanted: readonly Buffer[],
  close: CloseLine & { row: number },
): string | undefined {
  const first = close.number - close.row;
  if (wanted.length === 1 || first < 1) return undefined;
  let start = close.start;
  for (let row = close.row; row > 0; row--) start = startOfLineBefore(bytes, start);
  for (const [row, line] of wanted.entries()) {
    if (start >= bytes.length)
      return `The closest text starts at line ${first}, but ends with line ${first + row - 1}.`;
    const there = lineAt(bytes, start);
    if (!matches(withoutWhiteSpace(there), withoutWhiteSpace(line), row === 0, row === wanted.length - 1)) {
      return `The closest text starts at line ${first}, but line ${first + row} is ${quote(there)}, not ${quote(line)}`;
    }
    start += there.length + 1;
  }
  return undefined;
}

/** Whether a line matches; the first wanted line may start, and the last may end, in the middle of a line. */
function matches(there: Buffer, wanted: Buffer, isFirst: boolean, isLast: boolean): boolean {
  if (isFirst) return there.subarray(Math.max(0, there.length - wanted.length)).equals(wanted);
  return (isLast ? there.subarray(0, wanted.length) : there).equals(wanted);
}

function splitLines(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < text.length; start += (lines.at(-1)?.length ?? 0) + 1) lines.push(lineAt(text, start));
  return lines;
}

/** The index of the longest line, which is the most characteristic. */
function longest(lines: readonly Buffer[]): number {
  const lengths = lines.map((line) => withoutWhiteSpace(line).length);
  return lengths.indexOf(lengths.reduce((most, length) => Math.max(most, length), 0));
}

function lineAt(bytes: Buffer, start: number): Buffer {
  const newline = bytes.indexOf("\n", start);
  return bytes.subarray(start, newline < 0 ? bytes.length : newline);
}

function startOfLineBefore(bytes: Buffer, start: number): number {
  return start < 2 ? 0 : bytes.lastIndexOf("\n", start - 2) + 1;
}

function quoteLineAt(bytes: Buffer, start: number): string {
  return quote(lineAt(bytes, start));
}

function quote(line: Buffer): string {
  // One character has at most four bytes.
  const text = line.subarray(0, 4 * maxQuotedLength).toString("utf8");
  if (text.length <= maxQuotedLength) return JSON.stringify(text);
  return `${JSON.stringify(textStart(text, maxQuotedLength))}…`;
}

/** A line of a file that is similar to another one. */
export interface CloseLine {
  /** Line number, from 1. */
  readonly number: number;
  /** Offset of its start, in bytes. */
  readonly start: number;
  /** From 0 for nothing in common to 1 for the same pairs of bytes. */
  readonly likeness: number;
}

/** A line feed. */
const lineEnd = 0x0a;

/** Penalty for a pair that `wanted` lacks: small, since `wanted` may be part of a line. */
const surplusWeight = 0.25;

/**
 * Finds the line that shares most pairs of neighbouring bytes with `wanted`, ignoring white space. This tolerates typos,
 * renamed identifiers and moved words, and reads any file once.
 */
export function closestLine(bytes: Buffer, wanted: Buffer): CloseLine | undefined {
  const pairs = new PairSet(wanted);
  let best: CloseLine | undefined;
  let number = 1;
  for (let start = 0; start < bytes.length; number++) {
    const newline = bytes.indexOf(lineEnd, start);
    const end = newline < 0 ? bytes.length : newline;
    const likeness = pairs.likeness(bytes, start, end);
    if (likeness > (best?.likeness ?? 0)) best = { number, start, likeness };
    start = end + 1;
  }
  return best;
}

/** The set of neighbouring byte pairs of a text, for comparison with many others. */
class PairSet {
  readonly #size: number;
  /** 1 for each pair in the text. */
  readonly #has = new Uint8Array(0x10000);
  /** The comparison in which a pair was last seen, so that it counts once per comparison. */
  readonly #seen = new Int32Array(0x10000);
  #comparison = 0;

  constructor(text: Buffer) {
    this.#size = this.#walk(text, 0, text.length).size;
    for (let pair = 0; pair < this.#seen.length; pair++) this.#has[pair] = this.#seen[pair] ?? 0;
  }

  likeness(bytes: Buffer, start: number, end: number): number {
    const { size, common } = this.#walk(bytes, start, end);
    return common / (this.#size + surplusWeight * (size - common));
  }

  #walk(bytes: Buffer, start: number, end: number): { size: number; common: number } {
    const comparison = ++this.#comparison;
    let size = 0;
    let common = 0;
    // The first byte is paired with the line start, so that a line of one byte has a pair.
    let previous = lineEnd;
    for (let index = start; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (isWhiteSpace(byte)) continue;
      const pair = (previous << 8) | byte;
      previous = byte;
      if (this.#seen[pair] === comparison) continue;
      this.#seen[pair] = comparison;
      size++;
      common += this.#has[pair] ?? 0;
    }
    return { size, common };
  }
}

/** Whether a byte is a space, a tab or a line break character. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Returns the bytes without white space. */
export function withoutWhiteSpace(bytes: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (const byte of bytes) if (!isWhiteSpace(byte)) result[length++] = byte;
  return result.subarray(0, length);
}

/** Returns the offset of `wanted` in `bytes`, ignoring white space; -1 if not found. */
export function indexIgnoringWhiteSpace(bytes: Buffer, wanted: Buffer): number {
  const needle = withoutWhiteSpace(wanted);
  let left = needle.length === 0 ? -1 : withoutWhiteSpace(bytes).indexOf(needle);
  if (left < 0) return -1;
  return bytes.findIndex((byte) => !isWhiteSpace(byte) && left-- === 0);
}
