import type { FilePath } from "./list-files.ts";

/** What to search for, and how much to keep. */
export interface SearchOptions {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly maxBytes: number;
  /** When to stop, by the clock `monotonicMs`. */
  readonly stopAtMs: number;
  /** Whether there is enough to search for WebAssembly from the start. */
  readonly isLarge?: boolean;
}

/** A line that matches. */
export type Match = {
  readonly file: string;
  /** Line number, from 1; 0 for a binary file, which is one match. */
  readonly line: number;
  /** Without the newline; invalid UTF-8 becomes U+FFFD. */
  readonly content: string;
};

/** How much is kept if no host sets a limit, in bytes: its JSON must fit in a string. */
const maxKeptBytes = 64 * 1_048_576;

/** Minimum space for a match besides its path and content, in bytes. */
const frameBytes = 4;

/** Counts all matches and keeps the first ones: one more than fits into the answer, to trigger truncation. */
export class MatchList {
  readonly matches: Match[] = [];
  count = 0;
  #room: number;

  /** @param maxBytes size limit of the answer. */
  constructor(maxBytes: number) {
    this.#room = Math.min(maxBytes, maxKeptBytes);
  }

  /** Bytes left for further matches; below 0 they are only counted. */
  get room(): number {
    return this.#room;
  }

  get isFull(): boolean {
    return this.#room < 0;
  }

  /** Counts a binary file as one match. */
  addBinary(file: FilePath): void {
    this.add(file, 0, Buffer.alloc(0));
  }

  add(file: FilePath, line: number, content: Buffer): void {
    this.count++;
    if (this.isFull) return;
    // A line longer than the remaining room is cut later; one extra character triggers that.
    const shown = content.subarray(0, this.#room + frameBytes).toString("utf8");
    this.matches.push({ file: file.toString(), line, content: shown });
    this.#room -= Buffer.byteLength(file) + content.length + frameBytes;
  }
}
