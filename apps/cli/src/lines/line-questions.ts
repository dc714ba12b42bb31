import { readingMs } from "../host/typed-ahead.ts";
import type { LineOutput } from "../render/line-output.ts";
import type { LinePrompt } from "../session/session.ts";
import type { Beginning } from "./line-beginning.ts";
import type { Lines } from "./lines-of-stdin.ts";

/** How long the end of a message may take that was being typed when the question appeared, in milliseconds, if it is one letter. */
const finishingMs = 2_000;

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
    for (;;) {
      const line = await nextLine(question, question, signal);
      if (line === undefined || !begun.isBeingTyped()) return line;
      if (line !== "" && (await isAnswer(signal))) return line;
      if (signal.aborted) return undefined;
      keep(line);
    }
  }

  async function isAnswer(signal: AbortSignal): Promise<boolean> {
    const question = "You were typing a message. Was this   a the answer   m the end of the message  ";
    for (;;) {
      const line = (await nextLine(question, question, signal))?.trim();
      if (line === "a") begun.isKept();
      if (line === undefined || line === "a" || line === "m") return line === "a";
    }
  }

  /** Asks until the answer is exactly one of the letters: "stop" does not mean "s", and neither does "S". */
  async function choose(letters: string, signal: AbortSignal): Promise<string | undefined> {
    const expected = `Expected one of ${[...letters].join(", ")}: `;
    const askedMs = performance.now();
    for (let question = ""; ; question = expected) {
      const line = await nextLine(question, expected, signal);
      if (line === undefined) return undefined;
      const answer = line.trim();
      const openMs = performance.now() - askedMs;
      const isLetter = answer.length === 1 && letters.includes(answer);
      const isSooner = openMs < (begun.isBeingTyped() ? finishingMs : readingMs);
      if (isLetter && !isSooner) {
        begun.isKept();
        return answer;
      }
      if (begun.isBeingTyped() || (isSooner && answer.length > 1)) keep(line);
    }
  }

  /** Keeps what is no answer: the end of the message that was being typed, or a whole one. */
  function keep(end: string): void {
    lines?.add(begun.ended(end));
    screen.print("This began before the question, so it is kept as your next message.\n");
  }
}

/** Reads the answers to questions: lines that are typed after them. */
function freshLines(screen: LineOutput, lines: Lines | undefined) {
  /** @param again printed after a suspension. A line for the shell does not count. */
  return async function next(question: string, again: string, signal: AbortSignal): Promise<string | undefined> {
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
        const line = await lines.next({ isFresh: true, signal });
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
