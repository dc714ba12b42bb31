import { onInterrupt } from "../host/signals.ts";
import { readingMs } from "../host/typed-ahead.ts";
import type { LineOutput } from "../render/line-output.ts";
import { sanitise } from "../render/sanitise.ts";
import type { LinePrompt } from "../session/session.ts";
import { openLines } from "./lines-of-stdin.ts";

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
  const lines = openLines();
  let prompt: string | undefined;
  const begun = beginning(lines.takeUnfinished);
  const withdrawn: Withdrawn = { isLast: false };
  const ask = asker(screen, isTerminal ? lines : undefined, withdrawn);
  if (isTerminal) process.on("SIGCONT", printPrompt);
  return {
    canAsk: isTerminal,
    read,
    setAside: begun.setAside,
    ask,
    choose: letterChooser(ask, screen, withdrawn),
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

  async function readLine(sign: string, signal: AbortSignal): Promise<string | undefined> {
    screen.startLine();
    const wasTyped = lines.isWaiting();
    if (isTerminal) {
      prompt = `${style.bold(`${sign} `)}${sanitise(begun.text())}`;
      screen.print(prompt);
    }
    const line = begun.completed(await lines.next({ signal }));
    prompt = undefined;
    if (!isTerminal || line === undefined) return line;
    // A line typed before the prompt appeared is shown again after it; of any other, the terminal has echoed the end.
    if (wasTyped) screen.print(`${sanitise(line)}\n`);
    else screen.lineEnded();
    if (Buffer.byteLength(line) >= maxTerminalLineBytes) screen.print(style.yellow(truncated));
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

/** The beginning of the next line, which was typed before a question appeared. */
function beginning(takeUnfinished: () => Promise<string>) {
  let begun = "";
  return {
    text: () => begun,
    async setAside() {
      begun += await takeUnfinished();
    },
    /** The whole line. An interruption discards its beginning, as the terminal discards the rest. */
    completed(rest: string | undefined): string | undefined {
      const line = rest === undefined ? undefined : begun + rest;
      begun = "";
      return line;
    },
  };
}

/** Whether the last question was withdrawn. */
interface Withdrawn {
  isLast: boolean;
}

/** Asks for a line that is typed from now on; without lines, no one can be asked. */
function asker(
  screen: LineOutput,
  lines: ReturnType<typeof openLines> | undefined,
  withdrawn: Withdrawn,
): LinePrompt["ask"] {
  return async (question, signal) => {
    if (!lines) return undefined;
    screen.print(question);
    const line = await lines.next({ isFresh: true, signal });
    withdrawn.isLast = signal.aborted;
    if (line === undefined) screen.startLine();
    else screen.lineEnded();
    return line;
  };
}

/** Asks until the answer is exactly one of the letters: "stop" does not mean "s", and neither does "S". */
function letterChooser(ask: LinePrompt["ask"], screen: LineOutput, withdrawn: Withdrawn): LinePrompt["choose"] {
  return async (letters, signal) => {
    const readableMs = withdrawn.isLast ? performance.now() + readingMs : 0;
    for (;;) {
      const answer = (await ask("", signal))?.trim();
      if (answer === undefined) return undefined;
      const isRead = performance.now() >= readableMs;
      if (isRead && answer.length === 1 && letters.includes(answer)) return answer;
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
