import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { UsageError } from "../args/usage-error.ts";
import { printError } from "./stdout.ts";

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2);
}

/** The error of a command that needs confirmation and has no terminal. */
export function nobodyToAsk(): UsageError {
  return new UsageError("Not a terminal, and nothing was changed: pass --yes to confirm.");
}

/** Asks on the terminal; anything but y or yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askForLine(`${question} y/N `)) ?? "");
}

/** Asks for a line, without the white space around it; `undefined` at the end of the input. */
export async function askForLine(question: string): Promise<string | undefined> {
  printError(question);
  // The terminal itself edits the line, so Ctrl-C still sends SIGINT.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    return undefined;
  } finally {
    lines.close();
    // So that the next question can read it.
    process.stdin.pause();
  }
}
