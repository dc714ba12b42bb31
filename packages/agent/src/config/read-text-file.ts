import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "@ikigai/system";

/**
 * Returns the text of a regular file, at most `maxBytes` of it; `undefined` if there is no such file. Does not block on a
 * FIFO or a device.
 *
 * @throws the system's error if the file exists but cannot be read.
 */
export function readTextFile(path: string, maxBytes: number): { text: string; cut: boolean } | undefined {
  const fd = openIfAny(path);
  if (fd === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    let bytes = 0;
    for (let read = -1; read !== 0 && bytes < buffer.length; bytes += read) {
      read = readSync(fd, buffer, bytes, buffer.length - bytes, null);
    }
    return { text: buffer.subarray(0, Math.min(bytes, maxBytes)).toString("utf8"), cut: bytes > maxBytes };
  } finally {
    closeSync(fd);
  }
}

function openIfAny(path: string): number | undefined {
  try {
    return openRegularFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
