import { readFileSync, type Stats } from "node:fs";
import { userInfo } from "node:os";

/** What the world may change, and the group. */
const writeByWorld = 0o002;
const writeByGroup = 0o020;

/**
 * Says who else may have written a file, or put one into a directory; `undefined` when only the user and root could. A group
 * that has nobody but the user in it is nobody else: many systems give each user one, and a umask of 002.
 *
 * The sticky bit is no excuse: it keeps others from removing a file, not from adding one first.
 */
export function otherWriter({ mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">): string | undefined {
  const self = process.geteuid?.() ?? uid;
  if (uid !== self && uid !== 0) return `belongs to another user (uid ${uid})`;
  const isOpen = (mode & writeByWorld) !== 0 || ((mode & writeByGroup) !== 0 && !isOwnGroup(gid));
  return isOpen ? `can be written by others (mode ${(mode & 0o7777).toString(8)})` : undefined;
}

/** Whether a group is the one that was made for the user, as far as the system's own list of groups tells. */
function isOwnGroup(gid: number): boolean {
  if (gid !== process.getegid?.()) return false;
  try {
    const { username } = userInfo();
    const groups = readFileSync("/etc/group", "utf8")
      .split("\n")
      .map((line) => line.split(":"));
    const found = groups.filter(([, , id]) => id === String(gid));
    return found.length === 1 && found.every(([name, , , members = ""]) => name === username && /^$/.test(members));
  } catch {
    return false;
  }
}
