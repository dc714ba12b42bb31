import { onInterrupt } from "../host/signals.ts";
import type { LineOutput } from "../render/line-output.ts";
import { sanitise } from "../render/sanitise.ts";
import type { LinePrompt } from "../session/session.ts";
import { lineBeginning } from "./line-beginning.ts";
import { lineQuestions } from "./line-questions.ts";
import { continues, openLines } from "./lines-of-stdin.ts";

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
  const begun = lineBeginning(lines);
  if (isTerminal) process.on("SIGCONT", printPrompt);
  return {
    canAsk: isTerminal,
    read,
    setAside: begun.setAside,
    ...lineQuestions(screen, isTerminal ? lines : undefined, begun),
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
    const wasTyped = lines.waiting() > 0;
    if (isTerminal) {
      prompt = `${style.bold(`${sign} `)}${sanitise(begun.text())}`;
      screen.print(prompt);
    }
    const line = begun.completed(await lines.next(signal));
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

/** Reads the lines of one message; undefined at the end of the input. */
async function readMessage(readLine: (isFirst: boolean) => Promise<string | undefined>): Promise<string | undefined> {
  const lines: string[] = [];
  for (;;) {
    const line = await readLine(lines.length === 0);
    if (line === undefined) return undefined;
    if (!continues(line)) return [...lines, line].join("\n");
    lines.push(line.slice(0, -1));
  }
}
