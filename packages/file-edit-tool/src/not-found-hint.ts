import { textStart } from "@ikigai/protocol";
import { describeDifference, foldLookalikes } from "@ikigai/tool-files";
import { type CloseLine, closestLine } from "./closest-line.ts";
import { countLineEnds } from "./replace-bytes.ts";
import { indexIgnoringWhiteSpace, withoutWhiteSpace } from "./white-space.ts";

/** How much of a file is searched for similar text, in bytes: a fraction of a second's worth. */
const maxSearchedBytes = 16 * 1_048_576;

/** How much of a line is quoted, in characters. */
const maxQuotedLength = 160;

/** From this likeness on, two texts are worth comparing line by line. */
const minLikeness = 0.5;

/** Explains what comes closest to a text that is not in the file, and where. */
export function notFoundHint(file: Buffer, wanted: Buffer): string {
  if (file.length === 0) return "The file is empty.";
  if (file.length <= maxSearchedBytes) return hintWithin(file, wanted);
  return `In the first ${maxSearchedBytes} bytes: ${hintWithin(file.subarray(0, maxSearchedBytes), wanted)}`;
}

function hintWithin(bytes: Buffer, wanted: Buffer): string {
  const place = indexIgnoringWhiteSpace(bytes, wanted);
  if (place >= 0) return whiteSpaceHint(bytes, wanted, place);
  const lookalike = lookalikeHint(bytes.toString("utf8"), wanted.toString("utf8"));
  if (lookalike !== undefined) return lookalike;
  const wantedLines = splitLines(wanted);
  const row = longest(wantedLines);
  const close = closestLine(bytes, wantedLines[row] ?? wanted);
  if (close === undefined) return "No line is similar.";
  return (
    (close.likeness >= minLikeness && differenceHint(bytes, wantedLines, { ...close, row })) ||
    `The closest line is ${close.number}: ${quoteLineAt(bytes, close.start)}`
  );
}

/** Says where a text is with other quotes, dashes or spaces, or in another Unicode form. */
function lookalikeHint(text: string, wanted: string): string | undefined {
  const at = foldLookalikes(text).indexOf(foldLookalikes(wanted));
  if (at >= 0) {
    const number = text.slice(0, at).split("\n").length;
    const difference = describeDifference(text.slice(at, at + wanted.length), wanted);
    return difference && `Line ${number} has it, but with ${difference}.`;
  }
  const composed = text.normalize();
  const place = composed.indexOf(wanted.normalize());
  if (place < 0) return undefined;
  return `Line ${composed.slice(0, place).split("\n").length} has it, but in another Unicode normalization form.`;
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
