import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";

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
