import { readSync } from "node:fs";
import type { RegularFile } from "@ikigai/tool-files";

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
