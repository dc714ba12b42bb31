import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "./open-regular-file.ts";

/** How far Linux itself reads a `#!` line, in bytes. */
const headBytes = 256;

/**
 * Returns the first bytes of a regular file; `undefined` if it is not one or unreadable. Never blocks on a FIFO.
 *
 * @param maxBytes 256 by default.
 */
export function readHead(path: string, maxBytes = headBytes): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return undefined;
    const head = Buffer.alloc(maxBytes);
    return head.subarray(0, readSync(fd, head));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
