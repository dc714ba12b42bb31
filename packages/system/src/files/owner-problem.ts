import { lstatSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { shellWord } from "../text/shell-word.ts";
import { isInside } from "./is-inside.ts";
import { statsOf } from "./stats-of.ts";
import { userHome } from "./user-home.ts";

/**
 * Says that a path, or the nearest directory of it that can be seen, belongs to another user, as after a start of ikigai with sudo, and how
 * to change that. For a path that this process has no permission to use.
 *
 * @param all the directory whose files should all be the user's
 * @returns sentences; `undefined` if it belongs to this user.
 */
export function ownerProblem(path: string, all: string): string | undefined {
  const user = process.geteuid?.();
  let place = path;
  while (place !== dirname(place) && statsOf(place, lstatSync) === undefined) place = dirname(place);
  const owner = statsOf(place, lstatSync)?.uid;
  // Root may use everything.
  if (user === undefined || user === 0 || owner === undefined || owner === user) return undefined;
  const who = owner === 0 ? "root" : `another user (uid ${owner})`;
  return `${place} belongs to ${who}. ${remedyFor(place, all, user)}`;
}

function remedyFor(place: string, all: string, user: number): string {
  // Another user's home, as after su without a dash, must not be taken over.
  if (!isInside(place, all)) return "Set HOME or IKIGAI_HOME to a directory of your own.";
  // An administrator's directory for everyone neither.
  if (!isInside(all, userHome() ?? all))
    return "Sessions and settings cannot be saved there. To save them, set IKIGAI_HOME to a directory of your own.";
  return `To make it yours: sudo chown -R ${nameOf(user)} ${shellWord(all)}`;
}

function nameOf(user: number): string {
  try {
    return shellWord(userInfo().username);
  } catch {
    // A user that the system does not know.
    return String(user);
  }
}
