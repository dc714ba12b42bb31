import { type Stats, statSync } from "node:fs";
import { shellWord } from "../text/shell-word.ts";
import { otherWriter } from "./other-writer.ts";

/** Says what to do so that only the user and root can write a file or directory: a command. */
export function writerRemedy(place: string, { uid }: Pick<Stats, "uid">): string {
  const self = process.geteuid?.() ?? uid;
  const isForeign = uid !== self && uid !== 0;
  return isForeign ? `if you trust it, sudo chown ${self} ${shellWord(place)}` : `chmod go-w ${shellWord(place)}`;
}

/**
 * Says who else could have written one of these files and directories, and what to do: sentences without the last full stop. `undefined`
 * if only the user and root could. What cannot be reached is reported where it is read.
 */
export function writerProblem(places: readonly string[]): string | undefined {
  for (const place of places) {
    const stats = reachableStats(place);
    // A device is reported where it is read.
    const writer = stats && (stats.isFile() || stats.isDirectory()) ? otherWriter(stats) : undefined;
    if (stats && writer !== undefined) return `${place} ${writer}. To fix it: ${writerRemedy(place, stats)}`;
  }
  return undefined;
}

function reachableStats(place: string): Stats | undefined {
  try {
    return statSync(place);
  } catch {
    return undefined;
  }
}
