import { closeSync, readFileSync } from "node:fs";
import { openRegularFile } from "./open-regular-file.ts";

/**
 * Reads a file that somebody else may have put there. Never waits, not even for a FIFO.
 *
 * @throws the system's error; Error when it is no regular file.
 */
export function readRegularFile(path: string): Buffer {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new Error(`${path} is no regular file`);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
