import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { readNames } from "@ikigai/system";

/**
 * Paths with the state of the file at each: equal stamps mean the same file with the same content, or for a directory whose names are
 * stamped, the same names in it.
 */
export type Stamps = ReadonlyMap<string, string>;

const namesPrefix = "names:";

/** The names in a directory as a stamp: a file that comes or goes changes it, and one that changes does not. */
export function stampOfNames(names: readonly string[]): string {
  return namesPrefix + [...names].sort().join("/");
}

function namesAt(directory: string): string {
  try {
    return stampOfNames(readNames(directory));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

/** The state of a file: device, inode, mode, size, mtime and ctime (nanoseconds). */
export function stampOf({ dev, ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${mode}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** The state of a link to a file: its own, and its target's. */
export function stampOfLink(own: BigIntStats, target: string): string {
  return `${stampOf(own)}>${target}`;
}

/** The state of the file at a path now; for a link, its own and its target's. `"missing"` or an error code if there is no file. */
export function stampAt(path: string): string {
  try {
    const own = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (own === undefined) return "missing";
    if (!own.isSymbolicLink()) return stampOf(own);
    const target = statSync(path, { bigint: true, throwIfNoEntry: false });
    // For a link to a directory only the target's inode counts, not its contents.
    return stampOfLink(own, !target || target.isDirectory() ? `${target?.ino ?? "missing"}` : stampOf(target));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

/** Returns the first path whose file has changed, or the names in it. Costs one system call per path. */
export function firstChange(stamps: Stamps): string | undefined {
  for (const [path, stamp] of stamps) {
    const now = stamp.startsWith(namesPrefix) ? namesAt(path) : stampAt(path);
    if (now !== stamp) return path;
  }
  return undefined;
}
