import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { systemReason } from "../process/system-reason.ts";
import { shellWord } from "../text/shell-word.ts";
import { otherWriter } from "./other-writer.ts";
import { statsOf } from "./stats-of.ts";
import { walkLinks } from "./walk-links.ts";

/** The command that makes a file the user's own; `undefined` if it is. */
export function takingOver(place: string, uid: number | undefined, isForAll = false): string | undefined {
  const self = process.geteuid?.();
  if (self === undefined || uid === undefined || uid === self) return undefined;
  return `${self === 0 ? "" : "sudo "}chown ${isForAll ? "-R " : ""}${self} ${shellWord(place)}`;
}

/** Says what to do so that only the user and root can write a file or directory, or all that is in it: a command. */
export function writerRemedy(place: string, { uid }: Pick<Stats, "uid">, isForAll = false): string {
  const command = uid === 0 ? undefined : takingOver(place, uid, isForAll);
  return command === undefined
    ? `chmod ${isForAll ? "-R " : ""}go-w ${shellWord(place)}`
    : `if you trust it, ${command}`;
}

/**
 * Says who else could have written one of these files and directories, or chosen what a link leads to, and what to do: sentences without
 * the last full stop. `undefined` if only the user and root could. What cannot be reached is reported where it is read.
 */
export function writerProblem(places: readonly string[]): string | undefined {
  for (const place of places) {
    const problem = problemOf(place) ?? problemOfLink(place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(place: string): string | undefined {
  const stats = statsOf(place);
  // A device is reported where it is read.
  const writer = stats && (stats.isFile() || stats.isDirectory()) ? otherWriter(stats) : undefined;
  return stats && writer && `${place} ${writer}. To fix it: ${writerRemedy(place, stats)}`;
}

/** Who writes one of the directories that a link leads through chooses what it leads to. */
function problemOfLink(place: string): string | undefined {
  if (!statsOf(place, lstatSync)?.isSymbolicLink() || statsOf(place) === undefined) return undefined;
  try {
    const { links, target } = walkLinks(place);
    const directories = [...links, target].filter((step) => !isKept(step)).map(dirname);
    return directories.map(problemOf).find((problem) => problem !== undefined);
  } catch (error) {
    const why = `${place} leads through links that cannot be followed: ${systemReason(error as Error)}`;
    return `${why}. To fix it: make it a link to the file itself`;
  }
}

/** Whether the sticky bit of its directory, such as /tmp, keeps others from replacing a file: only its owner may, or root. */
function isKept(path: string): boolean {
  const directory = statsOf(dirname(path));
  const isSticky = directory !== undefined && (directory.mode & 0o1000) !== 0;
  const owner = statsOf(path, lstatSync)?.uid;
  return isSticky && (owner === 0 || owner === process.geteuid?.());
}
