// By itself: the start of the command has no use for the rest of the package.
import { writeAll } from "@ikigai/system/write-all";
import { exitCodes } from "./exit-codes.ts";
import { shutdown } from "./shutdown.ts";

let isBroken = false;

/**
 * Writes to stdout, all of it, before it returns: what was printed is not lost when the process ends.
 *
 * Never throws. When nobody reads any more, or the disk is full, the process begins to end, and the rest is dropped.
 */
export function printOut(text: string): void {
  if (isBroken) return;
  try {
    writeAll(1, text);
  } catch (error) {
    isBroken = true;
    endFor(error as NodeJS.ErrnoException);
  }
}

/** Writes to stderr; when nobody listens there, nothing is to be done. */
export function printError(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // The exit code still tells.
  }
}

function endFor({ code = "" }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") return void shutdown(exitCodes.brokenPipe);
  // The terminal is gone.
  if (code === "EIO") return void shutdown(exitCodes.hangup);
  const why = code === "ENOSPC" ? "the disk is full" : code;
  printError(`ikigai: the output cannot be written: ${why}\n`);
  void shutdown(exitCodes.failed);
}
