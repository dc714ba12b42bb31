import type { Stats } from "node:fs";

/** What the group and the world may change. */
const writeByOthers = 0o022;

/**
 * Says who else may have written a file, or put one into a directory; `undefined` when only the user and root could.
 *
 * The sticky bit is no excuse: it keeps others from removing a file, not from adding one first.
 */
export function otherWriter({ mode, uid }: Pick<Stats, "mode" | "uid">): string | undefined {
  const self = process.geteuid?.() ?? uid;
  if (uid !== self && uid !== 0) return `belongs to another user (uid ${uid})`;
  if ((mode & writeByOthers) === 0) return undefined;
  return `can be written by others (mode ${(mode & 0o7777).toString(8)})`;
}
