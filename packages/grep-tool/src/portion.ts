import { statSync } from "node:fs";
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

/** Divides files into parts of similar size. The last part of a file is open-ended, in case the file grows. */
export function cut(files: readonly FilePath[]): { readonly portions: Portion[]; readonly bytes: number } {
  const portions: Portion[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = sizeOf(file);
    const partBytes = Math.max(portionBytes, Math.ceil(size / maxParts));
    bytes += size;
    if (size <= portionBytes) {
      portions.push(file);
      continue;
    }
    for (let from = 0; from < size; from += partBytes) {
      const to = from + partBytes;
      portions.push({ file, from, to: to < size ? to : Number.POSITIVE_INFINITY });
    }
  }
  return { portions, bytes };
}

/** 0 for an inaccessible file: it is skipped when it cannot be opened. */
function sizeOf(file: FilePath): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
