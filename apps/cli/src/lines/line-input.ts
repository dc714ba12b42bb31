import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";
import { onInterrupt } from "../host/signals.ts";
import type { Screen } from "../render/screen.ts";
import { type Input, readMessage } from "../session/input.ts";

/** A longer line is cut, in characters: nobody has typed it. */
const maxLineLength = 1_048_576;

/**
 * Reads lines, as they come from a pipe, or from a terminal that edits them itself.
 *
 * @param isTerminal tells whether somebody sits there: only then there are prompts, and questions.
 */
export function openLineInput(screen: Screen, { isTerminal }: { isTerminal: boolean }): Input {
  const { style, signs } = screen;
  const lines = openLines();
  let prompt: string | undefined;
  return { canAsk: isTerminal, read, ask, choose, aside, close: lines.close };

  async function read(): Promise<string | undefined> {
    const controller = new AbortController();
    let wasInterrupted = false;
    // The terminal has thrown the line away itself.
    const interruptLine = () => {
      if (wasInterrupted) controller.abort();
      else aside(() => screen.print("Ctrl-C again, or Ctrl-D, to quit\n"));
      wasInterrupted = true;
    };
    const resume = isTerminal ? onInterrupt(interruptLine) : () => {};
    try {
      return await readMessage((isFirst) => readLine(isFirst ? signs.prompt : signs.goesOn, controller.signal));
    } finally {
      resume();
    }
  }

  async function readLine(sign: string, signal: AbortSignal): Promise<string | undefined> {
    screen.startLine();
    if (isTerminal) {
      prompt = style.bold(`${sign} `);
      screen.print(prompt);
    }
    const line = await lines.next({ signal });
    // The terminal has shown the end of the line itself.
    if (isTerminal && line !== undefined) screen.lineEnded();
    prompt = undefined;
    return line;
  }

  async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    if (!isTerminal) return undefined;
    screen.print(question);
    const line = await lines.next({ isFresh: true, signal });
    screen.lineEnded();
    return line;
  }

  async function choose(letters: string, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const letter = (await ask("", signal))?.trim().charAt(0).toLowerCase();
      if (letter === undefined) return undefined;
      if (letter !== "" && letters.includes(letter)) return letter;
      screen.print(`Expected one of ${[...letters].join(", ")}: `);
    }
  }

  function aside(print: () => void): void {
    screen.startLine();
    print();
    screen.startLine();
    if (prompt !== undefined) screen.print(prompt);
  }
}

interface NextLine {
  /** Only one that comes from now on: what was typed before a question is no answer to it. */
  readonly isFresh?: boolean;
  readonly signal?: AbortSignal;
}

/** The lines of stdin; undefined at its end, or when it is not waited for any more. */
function openLines() {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const waiting: string[] = [];
  let rest = "";
  let isEnded = false;
  let wake: (() => void) | undefined;
  let takeFresh: ((line: string) => void) | undefined;
  stdin.on("data", (chunk: Buffer) => add(decoder.write(chunk)));
  stdin.on("end", end).on("error", end);
  return { next, close: () => stdin.destroy() };

  function add(text: string): void {
    const parts = (rest + text).split("\n");
    rest = textStart(parts.pop() ?? "", maxLineLength);
    for (const part of parts) {
      const line = part.replace(/\r$/, "");
      if (takeFresh) takeFresh(line);
      else waiting.push(line);
    }
    wake?.();
  }

  function end(): void {
    if (isEnded) return;
    if (rest !== "") add("\n");
    isEnded = true;
    wake?.();
  }

  async function next({ isFresh = false, signal }: NextLine = {}): Promise<string | undefined> {
    let fresh: string | undefined;
    if (isFresh) {
      takeFresh = (line) => {
        fresh ??= line;
        takeFresh = undefined;
      };
    }
    const found = () => (isFresh ? fresh : waiting.shift());
    let line = found();
    while (line === undefined && !isEnded && !signal?.aborted) {
      await new Promise<void>((settle) => {
        wake = settle;
        signal?.addEventListener("abort", wake, { once: true });
      });
      // A long line comes in hundreds of pieces, and each of them wakes us.
      if (wake) signal?.removeEventListener("abort", wake);
      line = found();
    }
    takeFresh = undefined;
    return line;
  }
}
