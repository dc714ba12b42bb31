import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Regex } from "@ikigai/posix-ere";
import { monotonicMs } from "@ikigai/tool-sdk";
import { countNewlines } from "./count-newlines.ts";
import type { FilePath } from "./list-files.ts";
import type { MatchList } from "./match-list.ts";
import { type Portion, toPart } from "./portion.ts";

/** How much of a file is read at once, in bytes: most files whole, and little enough to stay in the processor's cache. */
const chunkBytes = 262_144;

/** The longest line that is searched, in bytes; the rest of a longer one is passed over. */
const maxLineBytes = 16 * 1_048_576;

/** By how much the buffer grows for a long line. What it was before takes memory until somebody collects it. */
const growth = 4;

const newline = 0x0a;

/** Searches files one after the other, with one buffer. */
export class FileSearch {
  readonly #regex: Regex;
  #buffer = Buffer.allocUnsafeSlow(chunkBytes);

  readonly #stopAtMs: number;

  /** @param stopAtMs when to stop, by the clock `monotonicMs`. */
  constructor(regex: Regex, stopAtMs: number) {
    this.#regex = regex;
    this.#stopAtMs = stopAtMs;
  }

  /** Whether it is time to stop. What was being searched then is searched in part. */
  get isTimeUp(): boolean {
    return monotonicMs() >= this.#stopAtMs;
  }

  /**
   * Adds the lines of a portion that match. What cannot be read, or is no regular file any more, has none.
   *
   * @returns how many newlines the portion has, unless it is the last of its file or there is no room for further matches.
   */
  search(portion: Portion, found: MatchList): number {
    const { file, from, to } = toPart(portion);
    const fd = openFile(file);
    if (fd === undefined) return 0;
    // Whether a line begins with a portion is for the byte before it to say.
    const place = { file, found, line: 1, lineAt: Math.min(from, 1), at: Math.max(from - 1, 0), to };
    try {
      this.#searchOpen(fd, place, from > 0);
    } catch (error) {
      // A read that fails midway: what was found until then counts.
      if ((error as NodeJS.ErrnoException).syscall !== "read") throw error;
    } finally {
      closeSync(fd);
    }
    return place.line - 1;
  }

  /** @param startsInRest whether the file is read from the middle of a line on, which belongs to whoever has its beginning. */
  #searchOpen(fd: number, place: Place, startsInRest: boolean): void {
    for (let kept = 0; !this.isTimeUp; ) {
      const filled = this.#fill(fd, kept, place);
      const isFileEnd = filled < this.#buffer.length;
      const partEnd = place.to - place.at;
      const from = startsInRest ? this.#lineStart(0, filled) : 0;
      if (from === undefined || from >= partEnd) {
        // No line begins here.
        this.#forget(Math.min(filled, partEnd), place);
        if (isFileEnd || filled >= partEnd) return;
        place.at += filled;
        kept = 0;
        continue;
      }
      const last = partEnd <= filled ? this.#lineStart(partEnd - 1, filled) : undefined;
      const lineEnd = last ?? (isFileEnd ? filled : this.#buffer.lastIndexOf(newline) + 1);
      const isCut = lineEnd <= from && !isFileEnd;
      if (isCut && from === 0 && this.#grow()) {
        kept = filled;
        continue;
      }
      const end = isCut ? from || filled : lineEnd;
      this.#searchLines(from, end, place);
      if (isFileEnd && last === undefined) return;
      this.#forget(Math.min(end, partEnd), place);
      if (last !== undefined) return;
      this.#buffer.copyWithin(0, end, filled);
      place.at += end;
      kept = filled - end;
      // A line may be longer than what is searched of it.
      startsInRest = isCut && from === 0;
    }
  }

  /** Reads until the buffer is full or the file at its end; returns how full it is. */
  #fill(fd: number, kept: number, { at }: Place): number {
    let filled = kept;
    while (filled < this.#buffer.length) {
      const length = readSync(fd, this.#buffer, filled, this.#buffer.length - filled, at + filled);
      if (length === 0) break;
      filled += length;
    }
    return filled;
  }

  /** Makes room for a line that does not end in the buffer; false when it is long enough already. */
  #grow(): boolean {
    if (this.#buffer.length >= maxLineBytes) return false;
    const larger = Buffer.allocUnsafeSlow(this.#buffer.length * growth);
    this.#buffer.copy(larger);
    this.#buffer = larger;
    return true;
  }

  /** Where the first line begins after `from`, if one does up to `filled`. */
  #lineStart(from: number, filled: number): number | undefined {
    const found = this.#buffer.indexOf(newline, from);
    return found < 0 || found >= filled ? undefined : found + 1;
  }

  /** Searches whole lines, from `from` to `to`. */
  #searchLines(from: number, to: number, place: Place): void {
    const { file, found } = place;
    const lines = this.#buffer.subarray(0, to);
    for (let at = from; at < to; ) {
      const hit = this.#regex.search(lines, at, to);
      if (hit < 0) return;
      const next = lines.indexOf(newline, hit);
      const lineEnd = next < 0 ? to : next;
      if (found.isFull) found.count++;
      else {
        const before = hit === 0 ? -1 : lines.lastIndexOf(newline, hit - 1);
        this.#countTo(Math.max(before + 1, at), place);
        found.add(file, place.line, lines.subarray(place.lineAt, lineEnd));
      }
      at = lineEnd + 1;
    }
  }

  #countTo(lineStart: number, place: Place): void {
    place.line += countNewlines(this.#buffer, place.lineAt, lineStart);
    place.lineAt = lineStart;
  }

  /** What is in the buffer up to `end` will be written over. */
  #forget(end: number, place: Place): void {
    if (!place.found.isFull) this.#countTo(end, place);
    place.lineAt = 0;
  }
}

/** Where the search of a file is. */
interface Place {
  readonly file: FilePath;
  readonly found: MatchList;
  /** The number of the line that begins at `lineAt` in the buffer. Further lines are counted when a number is needed. */
  line: number;
  lineAt: number;
  /** Where in the file the buffer begins, in bytes. */
  at: number;
  /** Where the portion ends in the file, in bytes. */
  readonly to: number;
}

function openFile(file: FilePath): number | undefined {
  try {
    // Does not wait if a pipe has taken the file's place.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
