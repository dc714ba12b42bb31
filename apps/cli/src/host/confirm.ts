import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { shutdown } from "./shutdown.ts";
import { onInterrupt } from "./signals.ts";
import { printError } from "./stdout.ts";
import { dropTyped, readingMs } from "./typed-ahead.ts";

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2);
}

/** The error of a command that needs confirmation and has no terminal, with what to do. */
export function nobodyToAsk(advice = "pass --yes to confirm."): UsageError {
  return new UsageError(`Not a terminal, and nothing was changed: ${advice}`);
}

/** What a question can show first. */
export interface View {
  /** An object in the sentence "v shows …". */
  readonly what: string;
  readonly print: () => void;
}

/**
 * Asks on the terminal until the answer is clear. An empty answer and the end of the input are a no; Ctrl-C ends ikigai.
 *
 * @param view what v shows.
 */
export async function confirm(question: string, view?: View): Promise<boolean> {
  const [hint, letters] = view ? [`y/N, v shows ${view.what}`, "y, n or v"] : ["y/N", "y or n"];
  for (;;) {
    const answer = (await askForChoice(`${question} ${hint} `))?.toLowerCase();
    if (answer === "y" || answer === "yes") return true;
    if (!answer || answer === "n" || answer === "no") return false;
    if (view && answer === "v") view.print();
    else printError(`Type ${letters}.\n`);
  }
}

/**
 * Asks for a line that chooses something, as `askForLine` does. Only a line that is typed after the question counts, and not one
 * that comes sooner than anyone can have read the question. After a suspension the question is printed again.
 */
export async function askForChoice(question: string, left?: string): Promise<string | undefined> {
  for (;;) {
    await dropTyped(process.stdin);
    let askedMs = performance.now();
    const resumed = () => {
      askedMs = performance.now();
      printError(question);
    };
    process.on("SIGCONT", resumed);
    const answer = await askForLine(question, left);
    // The signal may have come before the line, and be handled after it.
    await new Promise(setImmediate);
    process.off("SIGCONT", resumed);
    if (answer === undefined || !isatty(0) || performance.now() - askedMs >= readingMs) return answer;
    printError("This was typed before the question can have been read. Type it again.\n");
  }
}

/**
 * Asks for a line, without the white space around it; `undefined` at the end of the input. Ctrl-C prints `left` and ends ikigai.
 */
export async function askForLine(question: string, left = "Nothing was done."): Promise<string | undefined> {
  printError(question);
  // The terminal itself edits the line, so Ctrl-C still sends SIGINT.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const resume = onInterrupt(() => {
    printError(`\n${left}\n`);
    void shutdown(exitCodes.interrupted, { isUrgent: true });
  });
  try {
    for await (const line of lines) return line.trim();
    // Ctrl-D leaves the cursor after the question.
    printError("\n");
    return undefined;
  } finally {
    resume();
    lines.close();
    // So that the next question can read it.
    process.stdin.pause();
  }
}
