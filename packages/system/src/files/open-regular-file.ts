import { closeSync, constants, fstatSync, openSync } from "node:fs";

/**
 * Opens a file for reading; returns `undefined` if it is not a regular file. Never blocks: a FIFO is opened without its writer
 * and closed again.
 *
 * @throws the system's error if it cannot be opened.
 */
export function openRegularFile(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    // Linux's error for a socket.
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return undefined;
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return undefined;
}
