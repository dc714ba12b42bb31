import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";

/** Longer lines are truncated, in characters. */
const maxLineLength = 1_048_576;

/** The lines of stdin. */
export interface Lines {
  /** The first line that was not read. Undefined at the end of input and when aborted. */
  next(signal: AbortSignal): Promise<string | undefined>;
  /** A line typed from now on: earlier ones do not answer a question. Undefined as above. */
  nextFresh(signal: AbortSignal): Promise<FreshLine | undefined>;
  /** Puts a line among those that were typed and not read. @param at as `FreshLine` counts */
  insert(line: string, at: number): void;
  /** How many lines were typed and not read. */
  waiting(): number;
  close(): void;
}

/** A line that was typed after a question. */
export interface FreshLine {
  readonly text: string;
  /** How many of the lines that were not read had been typed before it. */
  readonly at: number;
}

/** Whether a message continues on the next line. */
export function continues(line: string): boolean {
  return line.endsWith("\\");
}

/** Reads the lines of stdin. */
export function openLines(): Lines {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const waiting: string[] = [];
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
      const at = waiting.length;
      const text = await lineAt(at, signal);
      return text === undefined ? undefined : { text, at };
    },
    insert: (line, at) => void waiting.splice(at, 0, line),
    waiting: () => waiting.length,
    close: () => stdin.destroy(),
  };

  function read(text: string): void {
    const parts = (rest + text).split("\n");
    rest = textStart(parts.pop() ?? "", maxLineLength);
    waiting.push(...parts.map((part) => part.replace(/\r$/, "")));
    wake?.();
  }

  function end(): void {
    if (isEnded) return;
    if (rest !== "") read("\n");
    isEnded = true;
    wake?.();
  }

  async function lineAt(at: number, signal: AbortSignal): Promise<string | undefined> {
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
