import { mkdirSync, writeFileSync } from "node:fs";

const refusals = ["EACCES", "EPERM", "EROFS"];

/**
 * Makes a file with this content, or else a directory, unless something is there. Says whether something is there now: where
 * we may make nothing, nothing is.
 *
 * @throws the system's error when it fails for another reason.
 */
export function makeIfMissing(path: string, content?: string): boolean {
  try {
    if (content === undefined) mkdirSync(path);
    else writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return true;
    if (refusals.includes(code)) return false;
    throw error;
  }
}
