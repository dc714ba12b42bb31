import { StringDecoder } from "node:string_decoder";
import { textStart } from "@ikigai/protocol";
import { handOver } from "../host/typed-ahead.ts";

/** Longer lines are truncated, in characters. */
const maxLineLength = 1_048_576;

/** The lines of stdin. */
export interface Lines {
  /** Undefined at the end of input and when aborted. */
  next(options?: NextLine): Promise<string | undefined>;
  /** Adds a line to those that were typed and not read. */
  add(line: string): void;
  /** What has been typed of a line; the line begins again. */
  takeUnfinished(): Promise<string>;
  /** How many lines were typed and not read. */
  waiting(): number;
  close(): void;
}

interface NextLine {
  /** Only a line typed from now on: earlier ones do not answer a question. */
  readonly isFresh?: boolean;
  readonly signal?: AbortSignal;
}

/** Reads the lines of stdin. */
export function openLines(): Lines {
  const { stdin } = process;
  const decoder = new StringDecoder("utf8");
  const waiting: string[] = [];
  let rest = "";
  let isEnded = false;
  let wake: (() => void) | undefined;
  let takeFresh: ((line: string) => void) | undefined;
  stdin.on("data", (chunk: Buffer) => read(decoder.write(chunk)));
  stdin.on("end", end).on("error", end);
  // A question before may have left it paused.
  stdin.resume();
  return {
    next,
    add: (line) => waiting.push(line),
    takeUnfinished,
    waiting: () => waiting.length,
    close: () => stdin.destroy(),
  };

  async function takeUnfinished(): Promise<string> {
    await handOver(stdin);
    // Enter and other keys that a line does not contain may have come meanwhile.
    const unfinished = rest.replace(/\p{Cc}/gu, "");
    rest = "";
    return unfinished;
  }

  function read(text: string): void {
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
    if (rest !== "") read("\n");
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
      // A long line arrives in hundreds of chunks, each of which wakes us.
      if (wake) signal?.removeEventListener("abort", wake);
      line = found();
    }
    takeFresh = undefined;
    return line;
  }
}
