import { closeSync, constants, fstatSync, openSync } from "node:fs";

/**
 * Opens a file to read it, which somebody else may have put there; undefined when it is no regular file. Never waits: a FIFO is
 * opened without its writer, and closed again.
 *
 * @throws the system's error when it cannot be opened.
 */
export function openRegularFile(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    // What Linux says of a socket.
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return undefined;
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return undefined;
}
