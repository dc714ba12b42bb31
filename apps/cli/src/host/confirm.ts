import { createInterface } from "node:readline";
import { printError } from "./stdout.ts";

/** Asks on the terminal; whatever is no clear yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  printError(`${question} y/N `);
  // The terminal itself edits the line, so Ctrl-C stays what it is.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
    // For the next question.
    process.stdin.pause();
  }
}
