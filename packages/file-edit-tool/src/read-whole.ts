import { readSync } from "node:fs";
import type { RegularFile } from "@ikigai/tool-files";

/** How much is asked for at once, in bytes: the system takes no more than 2 GiB. */
const maxReadBytes = 1_073_741_824;

/** How much a buffer grows at least that turned out too small, in bytes. */
const minGrowthBytes = 65_536;

/**
 * Reads a file to its end. Its size is only a guess: files of /proc have none, others grow.
 *
 * @throws RangeError when it is longer than a buffer can be.
 * @throws the system's error of the read that failed.
 */
export function readWhole({ fd, stats }: RegularFile): Buffer {
  // One byte more than it should take shows the end without a second buffer.
  let buffer = Buffer.allocUnsafe(Number(stats.size) + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, Math.min(buffer.length - length, maxReadBytes), null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * length + minGrowthBytes);
  }
}
