import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";
import { onInterrupt } from "../host/signals.ts";
import type { LineOutput } from "../render/line-output.ts";
import { sanitise } from "../render/sanitise.ts";
import type { LinePrompt } from "../session/session.ts";

/** A longer line is cut, in characters: nobody has typed it. */
const maxLineLength = 1_048_576;

/** What Linux passes on of a line that a terminal edits, in bytes; it drops the rest (N_TTY_BUF_SIZE). */
const maxTerminalLineBytes = 4_095;

/**
 * Reads lines, as they come from a pipe, or from a terminal that edits them itself.
 *
 * @param isTerminal tells whether somebody sits there: only then there are prompts, and questions.
 */
export function openLineInput(screen: LineOutput, { isTerminal }: { isTerminal: boolean }): LinePrompt {
  const { style, signs } = screen;
  const lines = openLines();
  let prompt: string | undefined;
  if (isTerminal) process.on("SIGCONT", printPrompt);
  return { canAsk: isTerminal, read, ask, choose: letterChooser(ask, screen), aside, close };

  /** Ctrl-C throws a message away that is not finished; the terminal has thrown its line away. Twice in a row, it quits. */
  async function read(): Promise<string | undefined> {
    for (let wasInterrupted = false; ; wasInterrupted = true) {
      const controller = new AbortController();
      const resume = isTerminal ? onInterrupt(() => controller.abort()) : () => {};
      try {
        const message = await readMessage((isFirst) =>
          readLine(isFirst ? signs.prompt : signs.goesOn, controller.signal),
        );
        if (message !== undefined || !controller.signal.aborted || wasInterrupted) return message;
      } finally {
        resume();
      }
      screen.startLine();
      screen.print("Ctrl-C again, or Ctrl-D, to quit\n");
    }
  }

  async function readLine(sign: string, signal: AbortSignal): Promise<string | undefined> {
    screen.startLine();
    const wasTyped = lines.isWaiting();
    if (isTerminal) {
      prompt = style.bold(`${sign} `);
      screen.print(prompt);
    }
    const line = await lines.next({ signal });
    prompt = undefined;
    if (!isTerminal || line === undefined) return line;
    // What was typed before the prompt came is shown behind it once more; the end of another line the terminal has shown.
    if (wasTyped) screen.print(`${sanitise(line)}\n`);
    else screen.lineEnded();
    if (Buffer.byteLength(line) >= maxTerminalLineBytes)
      screen.print(
        style.yellow(`The terminal may have truncated this line: its limit is ${maxTerminalLineBytes} bytes.\n`),
      );
    return line;
  }

  async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    if (!isTerminal) return undefined;
    screen.print(question);
    const line = await lines.next({ isFresh: true, signal });
    if (line === undefined) screen.startLine();
    else screen.lineEnded();
    return line;
  }

  function aside(print: () => void): void {
    screen.startLine();
    print();
    screen.startLine();
    printPrompt();
  }

  /** Also after a suspension: the terminal has thrown away what was typed. */
  function printPrompt(): void {
    if (prompt !== undefined) screen.print(prompt);
  }

  function close(): void {
    process.off("SIGCONT", printPrompt);
    lines.close();
  }
}

/** Asks until the answer is one of the letters: no word that begins with one, as "stop" does not mean "s". */
function letterChooser(ask: LinePrompt["ask"], screen: LineOutput): LinePrompt["choose"] {
  return async (letters, signal) => {
    for (;;) {
      const answer = (await ask("", signal))?.trim().toLowerCase();
      if (answer === undefined) return undefined;
      if (answer.length === 1 && letters.includes(answer)) return answer;
      screen.print(`Expected one of ${[...letters].join(", ")}: `);
    }
  };
}

/** Reads the lines of one message; undefined at the end of the input. */
async function readMessage(readLine: (isFirst: boolean) => Promise<string | undefined>): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await readLine(lines.length === 0);
    if (line === undefined) return undefined;
    if (!line.endsWith("\\")) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
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
  return { next, isWaiting: () => waiting.length > 0, close: () => stdin.destroy() };

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
