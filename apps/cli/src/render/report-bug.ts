import { printError } from "../host/stdout.ts";
import { sanitise } from "./sanitise.ts";

/** Reports a bug on stderr, for a program on stdout that continues. */
export function reportBug(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`This is a bug in ikigai, please report it.\n${sanitise(what)}\n`);
}
