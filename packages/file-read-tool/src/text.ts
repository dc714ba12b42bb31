// Text files. In order: text that is not UTF-8, which is what marks UTF-16, the first line that is not UTF-8, and its probable encoding; then
// the lines that are asked for.

import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import type { RegularFile } from "@ikigai/tool-files";

/** The encoding that a file's first two bytes mark; `undefined` for any other than UTF-16. */
export function markedEncoding(beginning: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (beginning.length < 2) return undefined;
  const mark = beginning.readUInt16BE(0);
  // UTF-32 has the same mark, with NUL after it.
  if (mark === 0xfffe) return beginning.length >= 4 && beginning.readUInt16BE(2) === 0 ? undefined : "utf-16le";
  return mark === 0xfeff ? "utf-16be" : undefined;
}

/** Says that the file is UTF-16, or which line is the first that is not UTF-8. */
export function encodingHint(
  beginning: Buffer,
  bytes: Buffer,
  { firstLine, isCut }: { readonly firstLine: number; readonly isCut: boolean },
): string | undefined {
  const marked = markedEncoding(beginning);
  if (marked) return `The file is ${marked.toUpperCase()}, not UTF-8: iconv -f UTF-16 -t UTF-8 FILE converts it.`;
  if (isUtf8(bytes)) return undefined;
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf("\n", start) + 1 || bytes.length;
    // The answer's last character may be incomplete.
    const cuts = isCut && end === bytes.length ? [0, 1, 2, 3] : [0];
    if (!cuts.some((cut) => isUtf8(bytes.subarray(start, Math.max(start, end - cut))))) {
      const likely = likelyEncoding(bytes.subarray(start));
      const convert = likely ? ` It is probably ${likely}: iconv -f ${likely} -t UTF-8 FILE converts it.` : "";
      return `Line ${line} is the first that is not UTF-8: U+FFFD (\ufffd) stands for other bytes in the file.${convert}`;
    }
    start = end;
  }
  return undefined;
}

/** The letters that tell a text in an encoding from noise, and the least share of them. Chinese read as Korean has other letters, too. */
const scripts = [
  ["SHIFT_JIS", /[\u3041-\u30ff]/g, 0.3],
  ["EUC-JP", /[\u3041-\u30ff]/g, 0.3],
  ["EUC-KR", /\p{sc=Hangul}/gu, 0.9],
  ["GB18030", /\p{sc=Han}/gu, 0.5],
] as const;

/** How much of a text is looked at, in bytes. */
const sampleBytes = 4_096;

/** The encoding that a text is probably in, as iconv calls it; `undefined` if nothing speaks for one. */
function likelyEncoding(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  const runs = sample.toString("latin1").match(/[\x80-\xff]+/g) ?? [];
  const high = runs.join("");
  const share = (first: number, last: number) =>
    [...high].filter((one) => one.charCodeAt(0) >= first && one.charCodeAt(0) <= last).length / high.length;
  // Accents stand between letters of ASCII, and other scripts in whole words.
  if (high.length <= 1.5 * runs.length) return "WINDOWS-1252";
  if (share(0xe0, 0xff) > 0.8) return "WINDOWS-1251";
  if (share(0xc0, 0xdf) > 0.8) return "KOI8-R";
  return scripts.find(([label, letter, least]) => {
    const text = new TextDecoder(label).decode(sample).replace(/[\p{ASCII}\p{P}]/gu, "");
    return (text.match(letter) ?? []).length > text.length * least;
  })?.[0];
}

/** The requested lines. */
export interface LineRange {
  /** Number of the first line, from 1. */
  readonly from: number;
  /** How many lines; `Infinity` for all. */
  readonly count: number;
  /** How many bytes of them are needed; the end of a longer last line is not searched for. */
  readonly maxBytes: number;
}

/** A range of bytes in a file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where the requested lines are. */
export interface FoundLines extends ByteRange {
  /** How many lines the file has, if the first requested line is after its end. */
  readonly lines?: number;
}

/** Bytes per read: small enough for the processor's cache. */
const chunkBytes = 65_536;

/** A line feed. */
const lineEnd = 0x0a;

/**
 * Finds a range of lines. Reads the file up to the last requested line
 * through one small buffer, so files and lines may have any size.
 *
 * @throws the system's error (EIO, EAGAIN, …) of a failed read.
 */
export function findLines({ fd, stats }: RegularFile, { from, count, maxBytes }: LineRange): FoundLines {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const before = passLines(fd, chunk, { start: 0, count: from - 1, maxBytes: Number.POSITIVE_INFINITY });
  const start = before.end;
  const past = before.lines < from - 1 || isAtEnd(fd, start) ? { lines: before.lines } : {};
  if (count !== Number.POSITIVE_INFINITY)
    return { start, end: passLines(fd, chunk, { start, count, maxBytes }).end, ...past };
  // Files in /proc do not report their size.
  const size = Number(stats.size) || start + maxBytes;
  return { start, end: Math.max(start, size), ...past };
}

/** Whether nothing follows. */
export function isAtEnd(fd: number, position: number): boolean {
  return readSync(fd, Buffer.allocUnsafe(1), 0, 1, position) === 0;
}

interface Walk {
  readonly start: number;
  readonly count: number;
  readonly maxBytes: number;
}

/**
 * Returns the offset after `count` lines, after the last line if there are fewer, or somewhere after `maxBytes`; and how many lines
 * are before it.
 */
function passLines(fd: number, chunk: Buffer, { start, count, maxBytes }: Walk) {
  let position = start;
  let lines = 0;
  let isLineOpen = false;
  while (lines < count && position - start <= maxBytes) {
    const length = readSync(fd, chunk, 0, chunk.length, position);
    if (length === 0) break;
    const bytes = chunk.subarray(0, length);
    let index = 0;
    while (lines < count && index < length) {
      const newline = bytes.indexOf(lineEnd, index);
      if (newline >= 0) lines++;
      isLineOpen = newline < 0;
      index = newline < 0 ? length : newline + 1;
    }
    position += index;
  }
  return { end: position, lines: lines + (isLineOpen ? 1 : 0) };
}

/**
 * Reads a range of bytes, or less if the file has become shorter.
 *
 * @throws the system's error of a failed read.
 */
export function readRange(fd: number, { start, end }: ByteRange): Buffer {
  const pieces: Buffer[] = [];
  for (let position = start; position < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(chunkBytes, end - position));
    const length = readSync(fd, piece, 0, piece.length, position);
    if (length === 0) break;
    pieces.push(piece.subarray(0, length));
    position += length;
  }
  return Buffer.concat(pieces);
}
