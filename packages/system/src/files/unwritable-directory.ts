import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { systemReason } from "../process/system-reason.ts";
import { shellWord } from "../text/shell-word.ts";
import { isInside } from "./is-inside.ts";
import { statsOf } from "./stats-of.ts";
import { userHome } from "./user-home.ts";

/** What the system says about a directory that cannot be written. */
const codes: readonly (string | undefined)[] = ["EACCES", "EPERM", "EROFS"];

/**
 * Says which directory could not be written, and what to do: the end of a sentence. `undefined` for any other error, also for one
 * about a file.
 */
export function unwritableDirectory(error: unknown): string | undefined {
  // A link's text is its path, and a renamed file's destination matters more.
  const { code, path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  if (dest === undefined || !isAbsolute(dest) || !codes.includes(code)) return undefined;
  let above = dirname(dest);
  while (!existsSync(above)) above = dirname(above);
  const directory = [above, ...(statsOf(dest)?.isDirectory() ? [dest] : [])].find((one) => !canWrite(one));
  if (directory === undefined) return undefined;
  const remedies = [
    ...(code === "EACCES" && isOwn(directory) ? [`run chmod u+rwx ${shellWord(directory)}`] : []),
    ...(isInside(directory, ownHome()) ? ["set HOME or IKIGAI_HOME to a directory that can be written"] : []),
  ];
  const what = `${directory} cannot be written: ${systemReason(error as NodeJS.ErrnoException)}`;
  return remedies.length === 0 ? what : `${what}; ${remedies.join(", or ")}`;
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOwn(directory: string): boolean {
  return statSync(directory).uid === process.geteuid?.();
}

function ownHome(): string {
  return process.env.IKIGAI_HOME || join(userHome() ?? "/", ".ikigai");
}
