import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makePrivateDirectory } from "./make-private-directory.ts";
import { privateFileMode } from "./private-modes.ts";
import { writeAll } from "./write-all.ts";

/** In the name of everything ikigai means to remove again. Nothing without it is ever offered for removal. */
const mark = "ikigai-tmp";
const marked = /(?:^|\.)ikigai-tmp\.(\d+)\./;

/** Returns a name for the unfinished content of a file, in the same directory. */
export function temporaryName(path: string): string {
  return `${path}.${mark}.${process.pid}.${performance.now()}`;
}

/** Returns a path in the system's temporary directory. @param pid the process that removes it; the default is this one. */
export function temporaryPath(name: string, pid = process.pid): string {
  return join(tmpdir(), `${mark}.${pid}.${name}`);
}

/** Returns the process that made a temporary name; `undefined` for every other name. */
export function temporaryOwner(name: string): number | undefined {
  const pid = marked.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/**
 * Replaces a file that only the user can access: readers see the old content or the new, never a part.
 *
 * Creates the directory if needed. Concurrent writers do not interfere; the last one wins. The content is flushed to disk.
 *
 * @throws the system's error (ENOSPC, EACCES, …); the old content is then intact.
 */
export function writePrivateFile(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  const temporary = temporaryName(path);
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
