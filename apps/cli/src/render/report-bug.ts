import { expectedMessage } from "@ikigai/agent/internal";
import { printError } from "../host/stdout.ts";
import { withoutKeys } from "../host/without-keys.ts";
import { sanitise } from "./sanitise.ts";

/** Reports a bug on stderr, for a program on stdout that continues. */
export function reportBug(error: unknown): void {
  printError(`${bugText(error)}\n`);
}

/** What went wrong in a command of a conversation, which continues: an expected error, or a bug as such. */
export function failureText(error: unknown): string {
  try {
    return sanitise(expectedMessage(error));
  } catch {
    return bugText(error);
  }
}

function bugText(error: unknown): string {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in ikigai, please report it.\n${sanitise(withoutKeys(what))}`;
}
