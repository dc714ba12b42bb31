import { StringDecoder } from "node:string_decoder";
import { printError } from "./stdout.ts";

const keys = { enter: /[\r\n]/, escape: "\u001b", ctrlC: "\u0003", ctrlD: "\u0004", ctrlU: "\u0015" } as const;

/** Keys that send several characters, and the marks around a paste. */
const sequences = new RegExp(`${keys.escape}(?:\\[[\\d;?]*[ -/]*[@-~]|O.)`, "g");

interface AnswerOptions {
  /** The input is not shown. */
  readonly isHidden?: boolean;
  /** What Ctrl-C and Ctrl-D do instead of leaving the question. The answer never comes then. */
  readonly onQuit?: (key: "ctrl-c" | "ctrl-d") => void;
}

/**
 * Asks for one line on the terminal, without the white space around it; `undefined` when the user leaves with Esc, Ctrl-C or
 * Ctrl-D, or the terminal is gone. Text pasted after the first line is dropped: it may be part of a key.
 */
export function readAnswer(
  question: string,
  { isHidden = false, onQuit }: AnswerOptions = {},
): Promise<string | undefined> {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const typed: string[] = [];
  // First, so that no key that is typed at the sight of the question gets another meaning.
  stdin.setRawMode(true);
  printError(question);
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
    const remove = (count: number) => {
      const removed = typed.splice(Math.max(0, typed.length - count));
      if (!isHidden) printError("\b \b".repeat(removed.length));
    };
    const take = (chunk: Buffer) => {
      const text = decoder.write(chunk);
      if (text === keys.escape) return leave();
      for (const character of text.replace(sequences, "")) {
        if (keys.enter.test(character)) return end(typed.join("").trim());
        if (character === keys.ctrlC) return quit("ctrl-c");
        if (character === keys.ctrlD && typed.length === 0) return quit("ctrl-d");
        if (character === "\u007f" || character === "\b") remove(1);
        else if (character === keys.ctrlU) remove(typed.length);
        else if (character >= " ") {
          typed.push(character);
          if (!isHidden) printError(character);
        }
      }
    };
    stdin.on("data", take).on("end", leave).on("error", leave);
    stdin.resume();
  });
}
