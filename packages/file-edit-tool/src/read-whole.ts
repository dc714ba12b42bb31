import { readSync } from "node:fs";
import type { RegularFile } from "@ikigai/tool-files";

/** Maximum bytes per read: the system reads at most 2 GiB. */
const maxReadBytes = 1_073_741_824;

/** Minimum growth of a buffer that turned out too small, in bytes. */
const minGrowthBytes = 65_536;

/**
 * Reads a whole file. Its size is only a hint: files in /proc report 0, and others grow.
 *
 * @throws RangeError if it is longer than the largest buffer.
 * @throws the system's error of a failed read.
 */
export function readWhole({ fd, stats }: RegularFile): Buffer {
  // One extra byte detects the end without a second buffer.
  let buffer = Buffer.allocUnsafe(Number(stats.size) + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, Math.min(buffer.length - length, maxReadBytes), null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length + minGrowthBytes);
  }
}
