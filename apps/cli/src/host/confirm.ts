import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { UsageError } from "../args/usage-error.ts";
import { printError } from "./stdout.ts";

/** Whether somebody sits there who can say yes. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2);
}

/** What a command ends with that needed a yes. */
export function nobodyToAsk(): UsageError {
  return new UsageError("Not a terminal, and nothing was changed: pass --yes to confirm.");
}

/** Asks on the terminal; whatever is no clear yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askForLine(`${question} y/N `)) ?? "");
}

/** Asks for a line, without the white space around it; `undefined` at the end of the input. */
export async function askForLine(question: string): Promise<string | undefined> {
  printError(question);
  // The terminal itself edits the line, so Ctrl-C stays what it is.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    return undefined;
  } finally {
    lines.close();
    // For the next question.
    process.stdin.pause();
  }
}
