import type { FilePath } from "./list-files.ts";

/** A line that matches. */
export type Match = {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Without the newline; what is not UTF-8 is U+FFFD. */
  readonly content: string;
};

/** The most that is kept of all matches when no host sets a limit, in bytes: their JSON must fit in a string. */
const maxKeptBytes = 64 * 1_048_576;

/** What a match takes beside its path and content, at least, in bytes. */
const frameBytes = 4;

/** Keeps the first matches, as much as an answer can show and one more, and counts them all. */
export class MatchList {
  readonly matches: Match[] = [];
  count = 0;
  #room: number;

  /** @param maxBytes how long the answer may be. */
  constructor(maxBytes: number) {
    this.#room = Math.min(maxBytes, maxKeptBytes);
  }

  /** How many bytes are left for further matches; below 0 they are only counted. */
  get room(): number {
    return this.#room;
  }

  get isFull(): boolean {
    return this.#room < 0;
  }

  add(file: FilePath, line: number, content: Buffer): void {
    this.count++;
    if (this.isFull) return;
    // A line longer than the room for it is cut by whoever prints the answer; one character more shows that it was.
    const shown = content.subarray(0, this.#room + frameBytes).toString("utf8");
    this.matches.push({ file: file.toString(), line, content: shown });
    this.#room -= Buffer.byteLength(file) + content.length + frameBytes;
  }
}
