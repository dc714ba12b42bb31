import { dirname } from "node:path";
import { systemReason } from "../process/system-reason.ts";
import { shellWord } from "../text/shell-word.ts";
import { ownerProblem } from "./owner-problem.ts";
import { statsOf } from "./stats-of.ts";

/**
 * Says why one of the user's files or directories cannot be read, and how to change that where it is known: sentences, the first of which
 * begins with "cannot be read", for after the path.
 *
 * @param error the system's error
 * @param all the directory whose files should all be the user's; absent for a file elsewhere
 */
export function readProblem(error: NodeJS.ErrnoException, path: string, all?: string): string {
  const { code = "" } = error;
  const isDenied = ["EACCES", "EPERM"].includes(code);
  const owner = isDenied && all !== undefined ? ownerProblem(path, all) : undefined;
  const remedy = owner ?? (isDenied ? modeRemedy(path) : undefined);
  return `cannot be read: ${systemReason(error)}.${remedy === undefined ? "" : ` ${remedy}`}`;
}

/** What to do about a mode that keeps its owner, this user, out; `undefined` if something else does. */
function modeRemedy(path: string): string | undefined {
  let place = path;
  while (place !== dirname(place) && statsOf(place) === undefined) place = dirname(place);
  const stats = statsOf(place);
  const [needed, words] = stats?.isDirectory() ? [0o500, "u+rwx"] : [0o400, "u+rw"];
  const isClosed = stats !== undefined && stats.uid === process.geteuid?.() && (stats.mode & needed) !== needed;
  return isClosed ? `To fix it: chmod ${words} ${shellWord(place)}` : undefined;
}
