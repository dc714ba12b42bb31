import { lstatSync, mkdirSync, writeFileSync } from "node:fs";

const refusals = ["EACCES", "EPERM", "EROFS"];

/** Everyone may list it, and no one but root may enter it. */
const closedMode = 0o444;

/**
 * Creates the file (without `content`: the directory) if nothing exists. Returns whether it exists afterwards; false if
 * permission is denied.
 *
 * @param isClosed whether no one may enter the directory.
 * @throws the system's error for other failures.
 */
export function makeIfMissing(
  path: string,
  content?: string,
  { isClosed = false }: { readonly isClosed?: boolean | undefined } = {},
): boolean {
  try {
    if (content === undefined) mkdirSync(path, { mode: isClosed ? closedMode : 0o777 });
    else writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return true;
    if (refusals.includes(code)) return false;
    throw error;
  }
}

/** Whether it is a directory, not a link to one, that no one but root may enter. */
export function isClosedDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && (stats.mode & 0o111) === 0;
}
