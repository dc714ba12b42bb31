// Reads the user's lines, from a terminal or a pipe.

import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";
import { sanitise } from "@ikigai/screen";
import { onInterrupt } from "../host/terminal/exit.ts";
import type { LineOutput } from "../render/line-output.ts";
import { readAnswer } from "../render/question/render-question.ts";
import type { LinePrompt } from "../session/session.ts";

/** Linux's limit for a line that the terminal edits, in bytes; it drops the rest (N_TTY_BUF_SIZE). */
const maxTerminalLineBytes = 4_095;
const truncated = `The terminal may have truncated this line: its limit is ${maxTerminalLineBytes} bytes.\n`;

/**
 * Reads lines from a pipe, or from a terminal that does the line editing.
 *
 * @param isTerminal whether to print prompts and ask questions
 */
export function openLineInput(screen: LineOutput, { isTerminal }: { isTerminal: boolean }): LinePrompt {
  const { style, signs } = screen;
  const lines = openLines(isTerminal);
  let prompt: string | undefined;
  if (isTerminal) process.on("SIGCONT", printPrompt);
  return {
    canAsk: isTerminal,
    read,
    ...answerReader(screen, isTerminal ? lines : undefined),
    aside,
    close,
  };

  /** Reads a message. Ctrl-C discards an unfinished one, as the terminal discards its line; twice in a row, it quits. */
  async function read(until: AbortSignal): Promise<string | undefined> {
    for (let wasInterrupted = false; ; wasInterrupted = true) {
      const controller = new AbortController();
      const resume = isTerminal ? onInterrupt(() => controller.abort()) : () => {};
      try {
        const message = await readMessage((isFirst) =>
          readLine(
            isFirst ? signs.prompt : signs.continuation,
            isFirst ? AbortSignal.any([controller.signal, until]) : controller.signal,
          ),
        );
        if (until.aborted && !controller.signal.aborted) return message;
        if (message !== undefined || !controller.signal.aborted || wasInterrupted) return message;
      } finally {
        resume();
      }
      screen.startLine();
      screen.print("Ctrl-C again, or Ctrl-D, to quit\n");
    }
  }

  async function readLine(sign: string, signal: AbortSignal): Promise<Line | undefined> {
    screen.startLine();
    const wasTyped = lines.waiting() > 0;
    if (isTerminal) {
      prompt = `${style.bold(`${sign} `)}`;
      screen.print(prompt);
    }
    const line = await lines.next(signal);
    prompt = undefined;
    if (!isTerminal || line === undefined) return line;
    // A line typed before the prompt appeared is shown again after it; any other, the terminal has echoed.
    if (wasTyped) screen.print(`${sanitise(line.text)}\n`);
    else screen.lineEnded();
    const typed = line.text.split("\n");
    if (typed.some((one) => Buffer.byteLength(one) >= maxTerminalLineBytes)) screen.print(style.yellow(truncated));
    if (line.isPaste)
      screen.print(style.dim(`Pasted ${typed.length} lines. Enter sends them, Ctrl-C discards them.\n`));
    return line;
  }

  function aside(print: () => void): void {
    screen.startLine();
    print();
    screen.startLine();
    printPrompt();
  }

  /** Used after a suspension too: the terminal has discarded the typed line. */
  function printPrompt(): void {
    if (prompt !== undefined) screen.print(prompt);
  }

  function close(): void {
    process.off("SIGCONT", printPrompt);
    lines.close();
  }
}

/** Asks questions whose answer is a line that is typed from now on; without lines, no one can be asked. */
function answerReader(screen: LineOutput, lines: Lines | undefined): Pick<LinePrompt, "ask" | "choose"> {
  return {
    ask: async (question, signal) => (await nextAnswer(question, question, signal))?.text,
    choose,
  };

  /**
   * Asks until a line is one of the letters, yes, or no: "stop" does not mean "s", and neither does "S". What else is typed is for the
   * model.
   */
  async function choose(
    letters: string,
    signal: AbortSignal,
    because: (words: string) => void = () => {},
  ): Promise<string | undefined> {
    const expected = `Expected one of ${[...letters].join(", ")}: `;
    for (let question = ""; ; question = expected) {
      const line = await nextAnswer(question, expected, signal);
      if (line === undefined) return undefined;
      const { letter = "", words = "" } = (line.isPaste ? undefined : readAnswer(line.text)) ?? {};
      if (letter !== "" && letters.includes(letter)) {
        if (words !== "") because(words);
        return letter;
      }
      if (line.text.trim().length > 1) await keep(line, signal);
    }
  }

  /** Keeps what is no answer, with the lines on which it continues, as the next message. */
  async function keep(first: FreshLine, signal: AbortSignal): Promise<void> {
    for (let line: FreshLine | undefined = first; line; line = await nextAnswer("", "", signal)) {
      lines?.insert(line, line.at);
      if (line.isPaste || !continues(line)) break;
    }
    screen.print("This is no answer, so it is kept as your next message.\n");
  }

  /** Reads a line that is typed from now on. @param again printed after a suspension */
  async function nextAnswer(question: string, again: string, signal: AbortSignal): Promise<FreshLine | undefined> {
    if (!lines) return undefined;
    const resumed = () => screen.print(again);
    process.on("SIGCONT", resumed);
    try {
      screen.print(question);
      const line = await lines.nextFresh(signal);
      if (line === undefined) screen.startLine();
      else screen.lineEnded();
      return line;
    } finally {
      process.off("SIGCONT", resumed);
    }
  }
}

/** Reads the lines of one message; undefined at the end of the input. */
async function readMessage(readLine: (isFirst: boolean) => Promise<Line | undefined>): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await readLine(lines.length === 0);
    if (line === undefined) return undefined;
    if (!continues(line)) return [...lines, line.text].join("\n");
    lines.push(line.isPaste ? line.text : line.text.slice(0, -1));
  }
}

/** Longer lines are truncated, in characters. */
const maxLineLength = 1_048_576;

/** The pause after which a line counts as typed, in milliseconds: more lines before it make a paste, as on the full screen. */
const quietMs = 20;

/** A line, or the lines of a paste. */
export interface Line {
  readonly text: string;
  /** Whether these are several lines that came at once. None of them is sent or run before the next line is typed. */
  readonly isPaste: boolean;
}

/** The lines of stdin. */
export interface Lines {
  /** The first line that was not read. Undefined at the end of input and when aborted. */
  next(signal: AbortSignal): Promise<Line | undefined>;
  /** A line typed from now on: earlier ones do not answer a question. Undefined as above. */
  nextFresh(signal: AbortSignal): Promise<FreshLine | undefined>;
  /** Puts a line among those that were typed and not read. @param at as `FreshLine` counts */
  insert(line: Line, at: number): void;
  /** How many lines were typed and not read. */
  waiting(): number;
  close(): void;
}

/** A line that was typed after a question. */
export interface FreshLine extends Line {
  /** How many of the lines that were not read had been typed before it. */
  readonly at: number;
}

/** Whether a message continues on the next line. */
export function continues({ text, isPaste }: Line): boolean {
  return isPaste || text.endsWith("\\");
}

/** Reads the lines of stdin. @param canPaste whether lines that come at once are a paste: without prompts, each line is a message */
export function openLines(canPaste: boolean): Lines {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const waiting: Line[] = [];
  let burst: string[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let rest = "";
  let isEnded = false;
  let wake: (() => void) | undefined;
  stdin.on("data", (chunk: Buffer) => read(decoder.write(chunk)));
  stdin.on("end", end).on("error", end);
  // A question before may have left it paused.
  stdin.resume();
  return {
    next: (signal) => lineAt(0, signal),
    async nextFresh(signal) {
      endBurst();
      const at = waiting.length;
      const line = await lineAt(at, signal);
      return line && { ...line, at };
    },
    insert: (line, at) => void waiting.splice(at, 0, line),
    waiting: () => waiting.length,
    close: () => stdin.destroy(),
  };

  function read(text: string): void {
    const parts = (rest + text).split("\n");
    rest = textStart(parts.pop() ?? "", maxLineLength);
    burst.push(...parts.map((part) => part.replace(/\r$/, "")));
    clearTimeout(quiet);
    if (!canPaste) endBurst();
    // On a busy machine a timer may fire before pending input is read.
    else if (burst.length > 0) quiet = setTimeout(() => setImmediate(endBurst), quietMs);
  }

  function endBurst(): void {
    if (burst.length === 0) return;
    const texts = canPaste ? [burst.join("\n")] : burst;
    waiting.push(...texts.map((text) => ({ text, isPaste: canPaste && burst.length > 1 })));
    burst = [];
    wake?.();
  }

  function end(): void {
    if (isEnded) return;
    if (rest !== "") read("\n");
    endBurst();
    isEnded = true;
    wake?.();
  }

  async function lineAt(at: number, signal: AbortSignal): Promise<Line | undefined> {
    const found = () => waiting.splice(at, 1)[0];
    let line = found();
    while (line === undefined && !isEnded && !signal.aborted) {
      await new Promise<void>((settle) => {
        wake = settle;
        signal.addEventListener("abort", wake, { once: true });
      });
      // A long line arrives in hundreds of chunks, each of which wakes us.
      if (wake) signal.removeEventListener("abort", wake);
      line = found();
    }
    return line;
  }
}
