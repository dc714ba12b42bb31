import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Regex } from "@ikigai/posix-ere";
import { countNewlines } from "./count-newlines.ts";
import type { FilePath } from "./list-files.ts";
import type { MatchList } from "./match-list.ts";

/** How much of a file is read at once, in bytes: most files whole, and little enough to stay in the processor's cache. */
const chunkBytes = 262_144;

/** The longest line that is searched, in bytes; the rest of a longer one is passed over. */
const maxLineBytes = 16 * 1_048_576;

const newline = 0x0a;

/** Searches files one after the other, with one buffer. */
export class FileSearch {
  readonly #regex: Regex;
  #buffer = Buffer.allocUnsafeSlow(chunkBytes);

  constructor(regex: Regex) {
    this.#regex = regex;
  }

  /** Adds the lines of a file that match. What cannot be read, or is no regular file any more, has none. */
  search(file: FilePath, found: MatchList): void {
    const fd = openFile(file);
    if (fd === undefined) return;
    try {
      this.#searchOpen(fd, { file, found, line: 1, lineAt: 0 });
    } catch (error) {
      // A read that fails midway: what was found until then counts.
      if ((error as NodeJS.ErrnoException).syscall !== "read") throw error;
    } finally {
      closeSync(fd);
    }
  }

  #searchOpen(fd: number, place: Place): void {
    // A line may be longer than what is searched of it; then the buffer starts with a part of its rest.
    let startsInRest = false;
    for (let kept = 0; ; ) {
      const filled = this.#fill(fd, kept);
      const isLast = filled < this.#buffer.length;
      const lineEnd = isLast ? filled : this.#buffer.lastIndexOf(newline) + 1;
      if (lineEnd === 0 && !isLast && this.#grow()) {
        kept = filled;
        continue;
      }
      const end = lineEnd || filled;
      this.#searchLines(startsInRest ? this.#restEnd(end) : 0, end, place);
      if (isLast) return;
      this.#forget(end, place);
      this.#buffer.copyWithin(0, end, filled);
      kept = filled - end;
      startsInRest = lineEnd === 0;
    }
  }

  /** Reads until the buffer is full or the file at its end; returns how full it is. */
  #fill(fd: number, kept: number): number {
    let filled = kept;
    while (filled < this.#buffer.length) {
      const length = readSync(fd, this.#buffer, filled, this.#buffer.length - filled, null);
      if (length === 0) break;
      filled += length;
    }
    return filled;
  }

  /** Makes room for a line that does not end in the buffer; false when it is long enough already. */
  #grow(): boolean {
    if (this.#buffer.length >= maxLineBytes) return false;
    const larger = Buffer.allocUnsafeSlow(this.#buffer.length * 2);
    this.#buffer.copy(larger);
    this.#buffer = larger;
    return true;
  }

  #restEnd(end: number): number {
    const found = this.#buffer.indexOf(newline);
    return found < 0 || found >= end ? end : found + 1;
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
}

function openFile(file: FilePath): number | undefined {
  try {
    // Does not wait if a pipe has taken the file's place.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
