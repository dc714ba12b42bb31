import { readSync } from "node:fs";
import { waitForDescriptor } from "@ikigai/system";
import { InvalidCall } from "./invalid-call.ts";

/** The size of a read from stdin, in bytes: that of a pipe on Linux. */
export const stdinChunkBytes = 65_536;

/**
 * Reads some bytes from stdin, synchronously: opening `process.stdin` costs 7 ms. Returns how many; 0 at the end.
 *
 * @throws InvalidCall if stdin cannot be read.
 */
export function readStdin(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A directory, or a broken disk.
      if (code !== "EAGAIN") throw new InvalidCall(`Expected a JSON object on stdin, which cannot be read: ${code}.`);
      // The parent may have passed a non-blocking pipe.
      waitForDescriptor();
    }
  }
}
