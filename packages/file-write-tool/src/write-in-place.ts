import { closeSync, constants, openSync } from "node:fs";
import { writeAll } from "@ikigai/system";

/**
 * Writes to an existing FIFO or device. Never blocks: a FIFO without a reader is an error.
 *
 * @returns warnings, as `writeAtomically` does: none.
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
