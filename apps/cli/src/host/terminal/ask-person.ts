// Asks the person at the terminal, outside a conversation: for a yes, one of several letters, a line, or a key that stays hidden.
// `confirm` and its like read whole lines; `readKeyedLine` reads key by key.

import { createInterface } from "node:readline";
import { StringDecoder } from "node:string_decoder";
import { setImmediate } from "node:timers/promises";
import { isatty } from "node:tty";
import { UsageError } from "../../args/usage-error.ts";
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

const keys = { enter: /[\r\n]/, escape: "\u001b", ctrlC: "\u0003", ctrlD: "\u0004", ctrlU: "\u0015" } as const;
const [up, down] = ["\u0010", "\u000e"] as const;

/** Stars shown of a hidden answer: no more than fit in one line, which a long key would wrap. */
const maxStars = 32;

/** Keys that send several characters, and the marks around a paste. */
const sequences = new RegExp(`${keys.escape}(?:\\[[\\d;?]*[ -/]*[@-~]|O.)`, "g");

/** The arrows, as the control characters that editors have for them. */
const arrows: Readonly<Record<string, string>> = { "[A": up, OA: up, "[B": down, OB: down };

/** Answers that the arrows put into the line. */
export interface AnswerChoices {
  readonly values: readonly string[];
  /** The index of the one that Enter takes on an empty line, and shows. */
  readonly usual: number;
}

export interface AnswerOptions {
  /** The input is shown as stars. */
  readonly isHidden?: boolean;
  /** What is in the line at first. */
  readonly initial?: string;
  readonly choices?: AnswerChoices;
  /** What Ctrl-C and Ctrl-D do instead of leaving the question. The answer never comes then. */
  readonly onQuit?: (key: "ctrl-c" | "ctrl-d") => void;
}

/**
 * Asks for one line on the terminal, without the white space around it; `undefined` when the user leaves with Esc, Ctrl-C or
 * Ctrl-D, or the terminal is gone. Text pasted after the first line is dropped: it may be part of a key.
 */
export function readKeyedLine(
  question: string,
  { isHidden = false, initial = "", choices, onQuit }: AnswerOptions = {},
): Promise<string | undefined> {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const typed: string[] = [...initial];
  // First, so that no key that is typed at the sight of the question gets another meaning.
  stdin.setRawMode(true);
  printError(`${question}${initial}`);
  return new Promise((settle) => {
    const close = () => {
      stdin.off("data", take).off("end", leave).off("error", leave);
      stdin.setRawMode(false);
      // So that the next reader can resume it.
      stdin.pause();
      printError("\n");
    };
    const end = (answer: string | undefined) => {
      close();
      settle(answer);
    };
    const leave = () => end(undefined);
    const quit = (key: "ctrl-c" | "ctrl-d") => {
      if (onQuit === undefined) return leave();
      close();
      onQuit(key);
    };
    const shown = () => (isHidden ? Math.min(typed.length, maxStars) : typed.length);
    const remove = (count: number) => {
      const before = shown();
      typed.splice(Math.max(0, typed.length - count));
      printError("\b \b".repeat(before - shown()));
    };
    const add = (text: string) => {
      const before = shown();
      typed.push(...text);
      printError(isHidden ? "*".repeat(shown() - before) : text);
    };
    const move = (step: number) => {
      const next = choices && nextChoice(choices, typed.join(""), step);
      if (next === undefined) return;
      remove(typed.length);
      add(next);
    };
    const take = (chunk: Buffer) => {
      const text = decoder.write(chunk);
      if (text === keys.escape) return leave();
      for (const character of text.replace(sequences, (sequence) => arrows[sequence.slice(1)] ?? "")) {
        if (keys.enter.test(character)) {
          if (typed.length === 0) add(choices?.values[choices.usual] ?? "");
          return end(typed.join("").trim());
        }
        if (character === keys.ctrlC) return quit("ctrl-c");
        if (character === keys.ctrlD && typed.length === 0) return quit("ctrl-d");
        if (character === "\u007f" || character === "\b") remove(1);
        else if (character === keys.ctrlU) remove(typed.length);
        else if (character === up || character === down) move(character === up ? -1 : 1);
        else if (character >= " ") add(character);
      }
    };
    stdin.on("data", take).on("end", leave).on("error", leave);
    stdin.resume();
  });
}

/** The choice before or after the one in the line; at the ends, it stays. */
function nextChoice({ values, usual }: AnswerChoices, typed: string, step: number): string | undefined {
  const now = values.includes(typed) ? values.indexOf(typed) : usual;
  return values[Math.max(0, Math.min(values.length - 1, now + step))];
}
