import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** For what is nobody else's business. */
const directoryMode = 0o700;
const fileMode = 0o600;

/** Makes a directory, and those above it, that only the user can look into. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: directoryMode });
}

/**
 * Replaces a file that only the user can read, all of it or not at all.
 *
 * @throws the system's error; the old content is then intact.
 */
export function writePrivateFile(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const fd = openSync(temporary, "wx", fileMode);
  try {
    try {
      for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
