import { writeSync } from "node:fs";
import { exitCodes } from "./exit-codes.ts";

/** How long to wait before a terminal or pipe that is full is tried again, in milliseconds. */
const pauseMs = 2;

/** stdout cannot be written: nobody reads any more, or the disk is full. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
  /** What to exit with. */
  readonly exitCode: number;

  constructor(code: string) {
    super(code === "ENOSPC" ? "Cannot write the output: the disk is full" : `Cannot write the output: ${code}`);
    this.exitCode = code === "EPIPE" ? exitCodes.brokenPipe : exitCodes.failed;
  }
}

/**
 * Writes to stdout, all of it, before it returns: what was printed is not lost when the process ends.
 *
 * @throws OutputClosed when that is not possible.
 */
export function printOut(text: string): typeof exitCodes.done {
  writeAll(1, text);
  return exitCodes.done;
}

/** Writes to stderr; when nobody listens there, nothing is to be done. */
export function printError(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // The exit code still tells.
  }
}

function writeAll(fd: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") throw new OutputClosed(code);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}
