import { statSync } from "node:fs";
import type { FilePath } from "./list-files.ts";

/** A part of a file: the lines that begin from `from` up to `to`, in bytes. What is searched at a time by one thread. */
export interface Portion {
  readonly file: FilePath;
  readonly from: number;
  readonly to: number;
}

/** From here on a file is shared, in bytes. */
const portionBytes = 32 * 1_048_576;

export function wholeFile(file: FilePath): Portion {
  return { file, from: 0, to: Number.POSITIVE_INFINITY };
}

export function isWhole({ from, to }: Portion): boolean {
  return from === 0 && to === Number.POSITIVE_INFINITY;
}

/** Files in parts of about the same size. The last part of each goes to its end, wherever that is by then. */
export function cut(files: readonly Portion[]): { readonly portions: Portion[]; readonly bytes: number } {
  const portions: Portion[] = [];
  let bytes = 0;
  for (const { file } of files) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    bytes += size;
    let from = 0;
    for (; size - from > portionBytes; from += portionBytes) portions.push({ file, from, to: from + portionBytes });
    portions.push({ file, from, to: Number.POSITIVE_INFINITY });
  }
  return { portions, bytes };
}
