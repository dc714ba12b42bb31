import { statSync } from "node:fs";
import { otherWriter, shellWord } from "@ikigai/system";

/**
 * Says who else could have written one of these files and directories of a user's skill, and what to do: a sentence. `undefined`
 * if only the user and root could.
 */
export function skillWriter(places: readonly string[]): string | undefined {
  try {
    for (const place of places) {
      const stats = statSync(place);
      // A device is reported when it is read.
      const writer = stats.isFile() || stats.isDirectory() ? otherWriter(stats) : undefined;
      if (writer !== undefined) return `${place} ${writer}. To fix it: chmod go-w ${shellWord(place)}`;
    }
  } catch {
    // What cannot be reached is reported when it is read.
  }
  return undefined;
}
