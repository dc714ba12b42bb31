// Writes to stdout and stderr. Stdout is complete before the process ends; stderr never has a key.

import { isSecretVariable, redact } from "@ikigai/system";
import { writeAll } from "@ikigai/system/write-all";
import { exitCodes, shutdown } from "./exit.ts";

let isBroken = false;

/**
 * Writes all of the text to stdout before it returns, so that none is lost when the process ends.
 *
 * Never throws. If the reader has closed the pipe or the disk is full, starts the shutdown and drops the rest.
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

let cleaned = (text: string): string => text;

/** From now on, stderr gets what `clean` leaves: error messages and stack traces may quote keys. */
export function cleanErrors(clean: (text: string) => string): void {
  cleaned = clean;
}

/** Writes to stderr; ignores errors. */
export function printError(text: string): void {
  try {
    writeAll(2, cleaned(text));
  } catch {
    // The exit code still reports the failure.
  }
}

function endFor({ code = "" }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") return void shutdown(exitCodes.brokenPipe);
  // The terminal was closed.
  if (code === "EIO") return void shutdown(exitCodes.hangup);
  const why = code === "ENOSPC" ? "the disk is full" : code;
  printError(`ikigai: cannot write to stdout: ${why}\n`);
  void shutdown(exitCodes.failed);
}

/** A report that a person may pass on, without the secrets of the environment. In a conversation stderr has none of its keys, either. */
export function withoutKeys(report: string, env: NodeJS.ProcessEnv = process.env): string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    value && isSecretVariable(name, value) ? [value] : [],
  );
  return redact(report, secrets);
}
