import { readFileSync, type Stats } from "node:fs";
import { userInfo } from "node:os";

/** Write permission for others and for the group. */
const writeByWorld = 0o002;
const writeByGroup = 0o020;

/**
 * Says who else may have written a file, or added one to a directory; `undefined` if only the user and root can. A group
 * whose only member is the user does not count: many systems create one per user, with a umask of 002.
 *
 * The sticky bit does not help: it stops others from removing a file, not from adding one first.
 */
export function otherWriter({ mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">): string | undefined {
  const self = process.geteuid?.() ?? uid;
  if (uid !== self && uid !== 0) return `belongs to another user (uid ${uid})`;
  const isOpen = (mode & writeByWorld) !== 0 || ((mode & writeByGroup) !== 0 && !isOwnGroup(gid));
  return isOpen ? `can be written by others (mode ${(mode & 0o7777).toString(8)})` : undefined;
}

/** Whether a group is the user's own, as far as the system's group list says. */
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
