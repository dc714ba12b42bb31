import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** As far as Linux itself looks for a `#!` line, in bytes. */
const headBytes = 256;

/** The first bytes of a regular file; undefined when it is none or cannot be read. Never waits, not even for a FIFO. */
export function readHead(path: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(fd).isFile()) return undefined;
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(fd, head));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
