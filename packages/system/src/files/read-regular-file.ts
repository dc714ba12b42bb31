import { closeSync, readFileSync } from "node:fs";
import { openRegularFile } from "./open-regular-file.ts";

/**
 * Reads a regular file. Never blocks on a FIFO.
 *
 * @throws the system's error; Error if it is not a regular file.
 */
export function readRegularFile(path: string): Buffer {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new Error(`${path} is not a regular file`);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
