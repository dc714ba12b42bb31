import { mkdirSync, writeFileSync } from "node:fs";

const refusals = ["EACCES", "EPERM", "EROFS"];

/**
 * Creates the file (without `content`: the directory) if nothing exists. Returns whether it exists afterwards; false if
 * permission is denied.
 *
 * @throws the system's error for other failures.
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
