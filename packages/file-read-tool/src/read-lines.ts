import { readSync } from "node:fs";
import type { RegularFile } from "@ikigai/tool-files";

/** Which lines are wanted. */
export interface LineRange {
  /** The number of the first one, from 1. */
  readonly from: number;
  /** How many; `Infinity` for all that follow. */
  readonly count: number;
  /** How many bytes of them are of use: beyond that, nobody looks for the end of the last one. */
  readonly maxBytes: number;
}

/** Where something stands in a file, in bytes from its start. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** How much is read at once, in bytes: it stays in the processor's cache while its line ends are looked for. */
const chunkBytes = 65_536;

/** A line feed. */
const lineEnd = 0x0a;

/**
 * Finds lines without keeping anything: the file goes through one small buffer, as far as the last wanted line, so that it
 * may have any size and so may its lines.
 *
 * @throws the system's error (EIO, EAGAIN, …) of the read that failed.
 */
export function findLines({ fd, stats }: RegularFile, { from, count, maxBytes }: LineRange): ByteRange {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const start = passLines(fd, chunk, { start: 0, count: from - 1, maxBytes: Number.POSITIVE_INFINITY });
  if (count !== Number.POSITIVE_INFINITY) return { start, end: passLines(fd, chunk, { start, count, maxBytes }) };
  // Files of /proc do not tell their size.
  const size = Number(stats.size) || start + maxBytes;
  return { start, end: Math.max(start, size) };
}

interface Walk {
  readonly start: number;
  readonly count: number;
  readonly maxBytes: number;
}

/** The position behind `count` lines, behind the last line if there are fewer, or somewhere behind `maxBytes`. */
function passLines(fd: number, chunk: Buffer, { start, count, maxBytes }: Walk): number {
  let position = start;
  for (let left = count; left > 0 && position - start <= maxBytes; ) {
    const length = readSync(fd, chunk, 0, chunk.length, position);
    if (length === 0) break;
    const bytes = chunk.subarray(0, length);
    let index = 0;
    while (left > 0 && index < length) {
      const newline = bytes.indexOf(lineEnd, index);
      if (newline >= 0) left--;
      index = newline < 0 ? length : newline + 1;
    }
    position += index;
  }
  return position;
}

/**
 * Reads what stands between two positions, or as much of it as there is by now.
 *
 * @throws the system's error of the read that failed.
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
