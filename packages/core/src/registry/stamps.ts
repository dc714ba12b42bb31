import { type BigIntStats, lstatSync, statSync } from "node:fs";

/** Paths, and the state of what was there: equal stamps mean the same file with the same content. */
export type Stamps = ReadonlyMap<string, string>;

/** The state of a file: device, inode, mode, size, and the times of the last change to content and inode, in nanoseconds. */
export function stampOf({ dev, ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${mode}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** The state of what is at a path now: of a link, its own and its target's file; a word when nothing is there. */
export function stampAt(path: string): string {
  try {
    const own = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (own === undefined) return "missing";
    if (!own.isSymbolicLink()) return stampOf(own);
    const target = statSync(path, { bigint: true, throwIfNoEntry: false });
    // What is in a directory that a link leads to is a matter of its own.
    return `${stampOf(own)}>${!target || target.isDirectory() ? (target?.ino ?? "missing") : stampOf(target)}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

/** The first path at which something else is now. Costs a `stat` each. */
export function firstChange(stamps: Stamps): string | undefined {
  for (const [path, stamp] of stamps) if (stampAt(path) !== stamp) return path;
  return undefined;
}
