import { writeSync } from "node:fs";

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

/** How long to wait before a non-blocking descriptor is tried again, in milliseconds. */
const pauseMs = 2;

/** Blocks for a moment: the only way to wait for a non-blocking descriptor from synchronous code. */
export function waitForDescriptor(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}
