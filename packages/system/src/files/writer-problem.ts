import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { shellWord } from "../text/shell-word.ts";
import { otherWriter } from "./other-writer.ts";
import { walkLinks } from "./walk-links.ts";

/** Says what to do so that only the user and root can write a file or directory: a command. */
export function writerRemedy(place: string, { uid }: Pick<Stats, "uid">): string {
  const self = process.geteuid?.() ?? uid;
  const isForeign = uid !== self && uid !== 0;
  return isForeign ? `if you trust it, sudo chown ${self} ${shellWord(place)}` : `chmod go-w ${shellWord(place)}`;
}

/**
 * Says who else could have written one of these files and directories, or chosen what a link leads to, and what to do: sentences without
 * the last full stop. `undefined` if only the user and root could. What cannot be reached is reported where it is read.
 */
export function writerProblem(places: readonly string[]): string | undefined {
  for (const place of places.flatMap((one) => [one, ...directoriesOfLinks(one)])) {
    const stats = reachable(place, statSync);
    // A device is reported where it is read.
    const writer = stats && (stats.isFile() || stats.isDirectory()) ? otherWriter(stats) : undefined;
    if (stats && writer !== undefined) return `${place} ${writer}. To fix it: ${writerRemedy(place, stats)}`;
  }
  return undefined;
}

/** The directories that a link leads through; none for a file. Who writes one of them chooses what the link leads to. */
function directoriesOfLinks(place: string): string[] {
  if (!reachable(place, lstatSync)?.isSymbolicLink()) return [];
  try {
    const { links, target } = walkLinks(place);
    return [...new Set([...links, target].filter((step) => !isKept(step)).map(dirname))];
  } catch {
    // It leads nowhere.
    return [];
  }
}

/** Whether the sticky bit of its directory, such as /tmp, keeps others from replacing a file: only its owner may, or root. */
function isKept(path: string): boolean {
  const directory = reachable(dirname(path), statSync);
  const isSticky = directory !== undefined && (directory.mode & 0o1000) !== 0;
  const owner = reachable(path, lstatSync)?.uid;
  return isSticky && (owner === 0 || owner === process.geteuid?.());
}

function reachable(path: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}
