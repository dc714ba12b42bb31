import { writeSync } from "node:fs";
import { waitForDescriptor } from "./wait-for-descriptor.ts";

/**
 * Writes every byte to a descriptor, retrying short writes.
 *
 * @throws the system's error (EPIPE, ENOSPC, …) of the write that failed.
 */
export function writeAll(fd: number, data: string | Uint8Array): void {
  let rest = typeof data === "string" ? Buffer.from(data) : data;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      waitForDescriptor();
    }
  }
}
