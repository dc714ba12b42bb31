import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { isatty } from "node:tty";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes, onInterrupt, shutdown } from "./exit.ts";
import { printError } from "./stdout.ts";

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2);
}

/** The error of a command that needs confirmation and has no terminal, with what to do. */
export function nobodyToAsk(advice = "pass --yes to confirm."): UsageError {
  return new UsageError(`Not a terminal, and nothing was changed: ${advice}`);
}

/** What a question can show first. */
interface View {
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
 * Asks for a line that chooses something, as `askForLine` does. Only input after the question counts. After a suspension the
 * question is printed again.
 */
export async function askForChoice(question: string, left?: string): Promise<string | undefined> {
  await dropTyped(process.stdin);
  const resumed = () => printError(question);
  process.on("SIGCONT", resumed);
  try {
    return await askForLine(question, left);
  } finally {
    process.off("SIGCONT", resumed);
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

/** Drops what has been typed on a terminal until now: whole lines, and the beginning of one. Nothing is dropped from a pipe. */
async function dropTyped(stdin: NodeJS.ReadStream): Promise<void> {
  if (!stdin.isTTY) return;
  const drop = () => {};
  stdin.on("data", drop);
  // Raw, the terminal hands over the line that it edits, which would come with the next Enter. It is read in the next turns.
  stdin.setRawMode(true);
  await setImmediate();
  await setImmediate();
  stdin.setRawMode(false);
  stdin.off("data", drop);
  // The next input waits for the next reader.
  stdin.pause();
}
