import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "./open-regular-file.ts";

/** As far as Linux itself looks for a `#!` line, in bytes. */
const headBytes = 256;

/** The first bytes of a regular file; undefined when it is none or cannot be read. Never waits, not even for a FIFO. */
export function readHead(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return undefined;
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(fd, head));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
