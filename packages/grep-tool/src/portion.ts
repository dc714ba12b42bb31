import { statSync } from "node:fs";
import type { FilePath } from "./list-files.ts";

/** A part of a file: the lines that begin from `from` up to `to`, in bytes. */
export interface FilePart {
  readonly file: FilePath;
  readonly from: number;
  readonly to: number;
}

/** What is searched at a time by one thread. Of whole files there may be very many, so they are no objects. */
export type Portion = FilePath | FilePart;

/** From here on a file is shared, in bytes. */
const portionBytes = 32 * 1_048_576;

/** The most parts of one file: a sparse file may be larger than all disks. */
const maxParts = 4_096;

export function isWhole(portion: Portion): portion is FilePath {
  return typeof portion === "string" || portion instanceof Uint8Array;
}

export function toPart(portion: Portion): FilePart {
  return isWhole(portion) ? { file: portion, from: 0, to: Number.POSITIVE_INFINITY } : portion;
}

/** Files in parts of about the same size. The last part of each goes to its end, wherever that is by then. */
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

/** 0 for a file that cannot be looked at: it is passed over when it is opened. */
function sizeOf(file: FilePath): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
