import { onInterrupt } from "../host/exit.ts";
import type { LineOutput } from "../render/line-output.ts";
import { readAnswer } from "../render/render-question.ts";
import { sanitise } from "../render/sanitise.ts";
import type { LinePrompt } from "../session/session.ts";
import { continues, type FreshLine, type Line, type Lines, openLines } from "./lines-of-stdin.ts";

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
  async function read(): Promise<string | undefined> {
    for (let wasInterrupted = false; ; wasInterrupted = true) {
      const controller = new AbortController();
      const resume = isTerminal ? onInterrupt(() => controller.abort()) : () => {};
      try {
        const message = await readMessage((isFirst) =>
          readLine(isFirst ? signs.prompt : signs.continuation, controller.signal),
        );
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
