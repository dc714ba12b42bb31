import { closeSync, constants, openSync, readSync, type Stats, statSync } from "node:fs";
import { isOfMachine } from "@ikigai/posix/glob";
import type { FilePath } from "./list-files.ts";

/** A part of a file: the lines that start from `from` up to `to`, in bytes. */
export interface FilePart {
  readonly file: FilePath;
  readonly from: number;
  readonly to: number;
}

/** What one thread searches at a time. Whole files are plain paths, since there may be very many. */
export type Portion = FilePath | FilePart;

/** Larger files are divided, in bytes. */
const portionBytes = 32 * 1_048_576;

/** Larger files are searched after all others, in bytes. */
const hugeBytes = 1_073_741_824;

/** The size of a block in a file's stats, in bytes. */
const blockBytes = 512;

/** A file with a NUL in so many bytes at its start is binary. */
const headBytes = 8_192;

/** Maximum number of parts of a file: a sparse file may be larger than any disk. */
const maxParts = 4_096;

/** Whether a portion is a whole file. */
export function isWhole(portion: Portion): portion is FilePath {
  return typeof portion === "string" || portion instanceof Uint8Array;
}

/** Returns a portion as a range of a file. */
export function toPart(portion: Portion): FilePart {
  return isWhole(portion) ? { file: portion, from: 0, to: Number.POSITIVE_INFINITY } : portion;
}

/** Whether a file is so large, or has so few blocks for its size, that all others are searched before it. */
export function isHuge({ size, blocks }: Pick<Stats, "size" | "blocks">): boolean {
  return size > hugeBytes || (size > portionBytes && blocks * blockBytes < size / 8);
}

/** Whether a file that begins with these bytes is binary. */
export function isBinary(start: Buffer): boolean {
  return start.subarray(0, headBytes).includes(0);
}

/**
 * Divides files into parts of similar size, huge ones last. The last part of a file is open-ended, in case the file grows.
 *
 * @param keepsBinary whether binary files stay whole
 */
export function cut(
  files: readonly FilePath[],
  keepsBinary: boolean,
): { readonly portions: Portion[]; readonly bytes: number } {
  const portions: Portion[] = [];
  const last: Portion[] = [];
  let bytes = 0;
  for (const file of files) {
    const { size, blocks } = sizeOf(file);
    const partBytes = Math.max(portionBytes, Math.ceil(size / maxParts));
    bytes += size;
    if (size <= portionBytes || (keepsBinary && isBinary(headOf(file)))) {
      portions.push(file);
      continue;
    }
    const list = isHuge({ size, blocks }) ? last : portions;
    for (let from = 0; from < size; from += partBytes) {
      const to = from + partBytes;
      list.push({ file, from, to: to < size ? to : Number.POSITIVE_INFINITY });
    }
  }
  return { portions: [...portions, ...last], bytes };
}

/** 0 for an inaccessible file: it is skipped when it cannot be opened. */
function sizeOf(file: FilePath): Pick<Stats, "size" | "blocks"> {
  try {
    return statSync(file);
  } catch {
    return { size: 0, blocks: 0 };
  }
}

function headOf(file: FilePath): Buffer {
  const fd = openFile(file);
  if (fd === undefined) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.subarray(0, readSync(fd, bytes, 0, headBytes, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens a file for reading; `undefined` if that is impossible.
 *
 * @throws the system's error if no file can be opened now.
 */
export function openFile(file: FilePath): number | undefined {
  try {
    // Does not block if a FIFO has replaced the file.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isOfMachine(error)) throw error;
    return undefined;
  }
}
