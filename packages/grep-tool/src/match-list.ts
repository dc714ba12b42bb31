// What a search keeps: lines, cut around the match if they are long, and how much of each file.
import { textEnd, textStart } from "@ikigai/protocol";
import type { FilePath } from "./read-request.ts";

/** How much of a long line a model sees, in UTF-16 units: a minified file says no more in a thousand. */
export const maxShownLength = 500;

/** The most bytes of a character. */
const maxCharacterBytes = 4;

/** A part of a line. */
interface ClippedLine {
  readonly content: string;
  readonly isClipped?: true;
}

/** Returns a line, or if it is long the part around a match, whose beginning is always in it; `…` stands for what is missing. */
export function clipAround(line: Buffer, matchStart: number, matchEnd: number): ClippedLine {
  const from = characterStart(line, matchStart);
  const match = line.toString("utf8", from, Math.min(matchEnd, from + maxShownLength * maxCharacterBytes));
  // What is left is for both sides; a match that is too long leaves a little, so that its beginning can be recognised.
  const room = Math.max(maxShownLength - match.length, maxShownLength / 10);
  const reach = room * maxCharacterBytes;
  const before = line.toString("utf8", characterStart(line, Math.max(from - reach, 0)), from);
  const rest = line.toString("utf8", from, Math.min(line.length, from + (maxShownLength + room) * maxCharacterBytes));
  const wantedAfter = Math.min(rest.length - match.length, Math.ceil(room / 2));
  const start = textEnd(before, room - Math.max(wantedAfter, 0));
  const end = textStart(rest, maxShownLength - start.length);
  const isFromStart = start.length === before.length && from - reach <= 0;
  const isToEnd = end.length === rest.length && from + (maxShownLength + room) * maxCharacterBytes >= line.length;
  if (isFromStart && isToEnd) return { content: start + end };
  return { content: `${isFromStart ? "" : "…"}${start}${end}${isToEnd ? "" : "…"}`, isClipped: true };
}

/** Returns the start of a long text. */
export function clipEnd(text: string): ClippedLine {
  return text.length <= maxShownLength
    ? { content: text }
    : { content: `${textStart(text, maxShownLength)}…`, isClipped: true };
}

/** Moves an offset back to the start of a UTF-8 character. */
function characterStart(line: Buffer, offset: number): number {
  let at = offset;
  while (at > 0 && offset - at < maxCharacterBytes && ((line[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

/** What to search for, and how much to keep. */
export interface SearchOptions {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** The most that is kept, in bytes. */
  readonly maxBytes: number;
  /** Whether a model reads it: each file then keeps its first lines, cut around the match, whatever the others have. */
  readonly isShared: boolean;
  /** When to stop, by the clock `monotonicMs`. */
  readonly stopAtMs: number;
  /** Whether there is enough to search for WebAssembly from the start. */
  readonly isLarge?: boolean;
}

/** A line that matches. */
export type Match = {
  /** Line number, from 1; 0 for a binary file, which is one match. */
  readonly line: number;
  /** Without the newline; invalid UTF-8 becomes U+FFFD. */
  readonly content: string;
  /** Whether a part of the line is missing. */
  readonly isClipped?: true;
};

/** The matches in one file: all are counted, the first are kept. */
export interface FileMatches {
  readonly file: string;
  count: number;
  readonly matches: Match[];
}

/** How much is kept if no host sets a limit, in bytes: its JSON must fit in a string. */
const maxKeptBytes = 64 * 1_048_576;

/** From so many answers on, files that share one keep only what is likely to be shown. */
const manyAnswers = 8;

/**
 * How much of a file is kept that shares an answer, in bytes: less after much was kept of many files, and below 0, nothing, once the first
 * lines of the files before it fill the answer.
 */
export function sharedRoom(
  maxBytes: number,
  { keptBytes, firstBytes, files }: { readonly keptBytes: number; readonly firstBytes: number; readonly files: number },
): number {
  if (firstBytes > maxBytes) return -1;
  // An integer, since V8 compiles the search again when a fraction comes.
  return keptBytes < manyAnswers * maxBytes ? maxBytes : Math.floor(maxBytes / (files + 1));
}

/** What the first line of a file takes at least, in bytes. */
export function firstSize({ file, matches: [first] }: FileMatches): number {
  return first === undefined ? 0 : file.length + first.content.length + frameBytes;
}

/** Minimum space for a match besides its path and content, in bytes. */
const frameBytes = 4;

/** Counts all matches and keeps the first ones: one more than fits into the answer, to trigger truncation. */
export class MatchList {
  readonly files: FileMatches[] = [];
  count = 0;
  readonly #maxBytes: number;
  readonly #isShared: boolean;
  #room: number;
  #keptBytes = 0;
  #firstBytes = 0;
  #file: FileMatches | undefined;

  constructor({ maxBytes, isShared }: Pick<SearchOptions, "maxBytes" | "isShared">) {
    this.#maxBytes = Math.min(maxBytes, maxKeptBytes);
    this.#isShared = isShared;
    this.#room = this.#maxBytes;
  }

  /** Bytes left for further matches; below 0 they are only counted. */
  get room(): number {
    return this.#room;
  }

  /** How many bytes the matches take that are kept. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  get isFull(): boolean {
    return this.#room < 0;
  }

  /** Begins with a file. */
  open(): void {
    if (this.#file) this.#firstBytes += firstSize(this.#file);
    this.#file = undefined;
    if (!this.#isShared) return;
    const [keptBytes, firstBytes] = [this.#keptBytes, this.#firstBytes];
    this.#room = sharedRoom(this.#maxBytes, { keptBytes, firstBytes, files: this.files.length });
  }

  /** Counts a match that is not kept. */
  pass(file: FilePath): void {
    this.count++;
    this.#matchesOf(file).count++;
  }

  /** Counts a binary file as one match. */
  addBinary(file: FilePath): void {
    this.add(file, { line: 0, content: "" }, 0);
  }

  /** The longest start of a line that can be of use, in bytes: one character more than fits triggers truncation. */
  get usefulBytes(): number {
    return this.#room + frameBytes;
  }

  /** Adds a match, if there is room for it. @param bytes the size of its line. */
  add(file: FilePath, match: Match, bytes: number): void {
    const matches = this.#matchesOf(file);
    this.count++;
    matches.count++;
    if (this.isFull) return;
    matches.matches.push(match);
    const size = matches.file.length + bytes + frameBytes;
    this.#room -= size;
    this.#keptBytes += size;
  }

  #matchesOf(file: FilePath): FileMatches {
    if (this.#file === undefined) {
      this.#file = { file: file.toString(), count: 0, matches: [] };
      this.files.push(this.#file);
    }
    return this.#file;
  }
}
