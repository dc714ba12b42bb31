import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { Style } from "../screen/style.ts";

/** What the user types, line by line. */
export interface Input {
  /** The next message: lines that end in a backslash go on in the next one. Undefined at the end of the input. */
  read(): Promise<string | undefined>;
  /** The answer to a question, one line; undefined when there is none to be had. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Called for each Ctrl-C. Returns whether it was of use; otherwise the second one at an empty prompt ends the input. */
  onInterrupt: () => boolean;
  close(): void;
}

const prompt = "› ";
const continuation = "· ";

/** Reads stdin. On a terminal lines can be edited, and what is typed while something goes on is kept for later. */
export function openInput(isTerminal: boolean, style: Style): Input {
  const echo = createEcho();
  const lines = createInterface({
    input: process.stdin,
    output: echo.stream,
    terminal: isTerminal,
    historySize: 1_000,
  });
  const queue = createQueue(lines);
  let wasInterrupted = false;

  const nextLine = (text: string, signal?: AbortSignal) => {
    if (!isTerminal || queue.length > 0) return queue.next(signal);
    echo.isOn = true;
    lines.setPrompt(text);
    lines.prompt(true);
    return queue.next(signal).finally(() => {
      echo.isOn = false;
    });
  };

  const input: Input = {
    onInterrupt: () => false,
    async read() {
      let message = "";
      for (;;) {
        const line = await nextLine(message === "" ? style.bold(prompt) : style.dim(continuation));
        if (line === undefined) return message === "" ? undefined : message;
        wasInterrupted = false;
        if (!line.endsWith("\\")) return message + line;
        message += `${line.slice(0, -1)}\n`;
      }
    },
    ask: (text, signal) => nextLine(text, signal),
    close() {
      lines.close();
      process.stdin.destroy();
    },
  };

  lines.on("SIGINT", () => {
    if (input.onInterrupt()) return;
    if (lines.line === "" && wasInterrupted) return lines.close();
    wasInterrupted = lines.line === "";
    // Clears what was typed, as shells do.
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    echo.say(wasInterrupted ? "\n(Ctrl-C again, or Ctrl-D, to quit)\n" : "\n");
    lines.prompt();
  });
  return input;
}

/** What readline draws; nothing of it while somebody else prints. */
function createEcho() {
  const echo = {
    isOn: false,
    say: (text: string) => void process.stdout.write(text),
    stream: new Writable({
      write(chunk, _encoding, done) {
        if (echo.isOn) process.stdout.write(chunk);
        done();
      },
    }),
  };
  return echo;
}

/** Lines that have come, and somebody who waits for the next. */
function createQueue(lines: Interface) {
  const waiting: string[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  lines.on("line", (line) => {
    waiting.push(line);
    wake?.();
  });
  lines.on("close", () => {
    isClosed = true;
    wake?.();
  });
  return {
    get length() {
      return waiting.length;
    },
    async next(signal?: AbortSignal): Promise<string | undefined> {
      while (waiting.length === 0 && !isClosed && !signal?.aborted) {
        await new Promise<void>((settle) => {
          wake = settle;
          signal?.addEventListener("abort", () => settle(), { once: true });
        });
      }
      return signal?.aborted ? undefined : waiting.shift();
    },
  };
}
