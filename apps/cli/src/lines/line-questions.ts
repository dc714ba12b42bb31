import { readingMs } from "../host/typed-ahead.ts";
import type { LineOutput } from "../render/line-output.ts";
import type { LinePrompt } from "../session/session.ts";
import type { Beginning } from "./line-beginning.ts";
import { continues, type FreshLine, type Lines } from "./lines-of-stdin.ts";

/** Asks questions whose answer is a line that is typed from now on; without lines, no one can be asked. */
export function lineQuestions(
  screen: LineOutput,
  lines: Lines | undefined,
  begun: Beginning,
): Pick<LinePrompt, "ask" | "choose"> {
  const nextLine = freshLines(screen, lines);
  return { ask, choose };

  /** Asks for a line. If the user was typing a message, also asks whether the line is the end of it. */
  async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    for (let sinceMs = begun.asideMs(); ; sinceMs = performance.now()) {
      const isEnd = begun.isBeingTyped();
      const line = await nextLine(question, question, signal);
      if (line === undefined) return undefined;
      // A pasted text, for example.
      const isSooner = line.text !== "" && performance.now() - sinceMs < readingMs;
      if (!isEnd && !isSooner) return line.text;
      const mayAnswer = !isSooner && line.text !== "" && !continues(line.text);
      if (mayAnswer && (await isAnswer(signal))) return line.text;
      if (signal.aborted) return undefined;
      keep(line);
    }
  }

  async function isAnswer(signal: AbortSignal): Promise<boolean> {
    const question = "You were typing a message. Was this   a the answer   m the end of the message  ";
    for (;;) {
      const line = (await nextLine(question, question, signal))?.text.trim();
      if (line === "a") begun.isKept();
      if (line === undefined || line === "a" || line === "m") return line === "a";
    }
  }

  /**
   * Asks until the answer is exactly one of the letters: "stop" does not mean "s", and neither does "S". What ends or continues a
   * message is no answer, however late it comes.
   */
  async function choose(letters: string, signal: AbortSignal): Promise<string | undefined> {
    const expected = `Expected one of ${[...letters].join(", ")}: `;
    const askedMs = performance.now();
    let textMs = askedMs;
    for (let question = ""; ; question = expected) {
      const isEnd = begun.isBeingTyped();
      const line = await nextLine(question, expected, signal);
      if (line === undefined) return undefined;
      const answer = line.text.trim();
      const nowMs = performance.now();
      if (isEnd || continues(line.text)) keep(line, isEnd);
      else if (answer.length > 1 && nowMs - askedMs < readingMs) keep(line);
      else if (answer.length === 1 && letters.includes(answer) && nowMs - textMs >= readingMs) return answer;
      // The next line of the same text may be a letter.
      if (isEnd || answer.length > 1) textMs = nowMs;
    }
  }

  /** Keeps what is no answer: the end of a message, a line of one, or a whole one. */
  function keep(line: FreshLine, isBegunBefore = true): void {
    begun.keep(line);
    const reason = isBegunBefore ? "This began before the question" : "This continues on the next line";
    screen.print(`${reason}, so it is kept as your next message.\n`);
  }
}

/** Reads the answers to questions: lines that are typed after them. */
function freshLines(screen: LineOutput, lines: Lines | undefined) {
  /** @param again printed after a suspension. A line for the shell does not count. */
  return async function next(question: string, again: string, signal: AbortSignal): Promise<FreshLine | undefined> {
    if (!lines) return undefined;
    let resumedMs = Number.NEGATIVE_INFINITY;
    const resumed = () => {
      resumedMs = performance.now();
      screen.print(again);
    };
    process.on("SIGCONT", resumed);
    try {
      screen.print(question);
      for (;;) {
        const line = await lines.nextFresh(signal);
        if (line === undefined) {
          screen.startLine();
          return undefined;
        }
        screen.lineEnded();
        // The signal may have come before the line, and be handled after it.
        await new Promise(setImmediate);
        if (performance.now() - resumedMs >= readingMs) return line;
        screen.print(again);
      }
    } finally {
      process.off("SIGCONT", resumed);
    }
  };
}
