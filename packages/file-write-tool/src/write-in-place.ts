import { closeSync, constants, openSync } from "node:fs";
import { writeAll } from "@ikigai/system";

/**
 * Writes to what is no regular file: a FIFO, a device. Opening never waits, so a FIFO without a reader is an error at once.
 *
 * @returns what was lost of the old content: nothing, in the form that replacing a file tells it.
 * @throws the system's error (EISDIR, ENXIO, ENOSPC, EPIPE, …).
 */
export function writeInPlace(path: string, bytes: Uint8Array): string[] {
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    writeAll(fd, bytes);
    return [];
  } finally {
    closeSync(fd);
  }
}
