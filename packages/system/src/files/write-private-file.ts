import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateDirectory } from "./make-private-directory.ts";
import { privateFileMode } from "./private-modes.ts";
import { writeAll } from "./write-all.ts";

/**
 * Replaces a file that only the user can access: readers see the old content or the new, never a part.
 *
 * Creates the directory if needed. Concurrent writers do not interfere; the last one wins. The content is flushed to disk.
 *
 * @throws the system's error (ENOSPC, EACCES, …); the old content is then intact.
 */
export function writePrivateFile(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  const temporary = `${path}.${process.pid}.${performance.now()}`;
  const fd = openSync(temporary, "wx", privateFileMode);
  try {
    writeWhole(fd, Buffer.from(text));
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  try {
    writeAll(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
