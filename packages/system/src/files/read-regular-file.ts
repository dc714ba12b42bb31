import { closeSync, fstatSync, readFileSync } from "node:fs";
import { openRegularFile } from "./open-regular-file.ts";

/**
 * Reads a regular file. Never blocks on a FIFO.
 *
 * @param maxBytes for a file that others can write.
 * @throws the system's error; Error if it is not a regular file, or larger.
 */
export function readRegularFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new Error(`${path} is not a regular file`);
  try {
    if (fstatSync(fd).size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
