import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Regex } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import type { MatchList } from "./match-list.ts";

/** How much of a file is read at once, in bytes. */
const chunkBytes = 1_048_576;

/** The longest line that is searched, in bytes; the rest of a longer one is passed over. */
const maxLineBytes = 16 * 1_048_576;

const newline = 0x0a;

/** Searches files one after the other, with one buffer. */
export class FileSearch {
  readonly #regex: Regex;
  #buffer = Buffer.allocUnsafe(chunkBytes);

  constructor(regex: Regex) {
    this.#regex = regex;
  }

  /** Adds the lines of a file that match. What cannot be read, or is no regular file any more, has none. */
  search(file: FilePath, found: MatchList): void {
    const fd = openFile(file);
    if (fd === undefined) return;
    try {
      this.#searchOpen(fd, file, found);
    } catch (error) {
      // A read that fails midway: what was found until then counts.
      if ((error as NodeJS.ErrnoException).syscall !== "read") throw error;
    } finally {
      closeSync(fd);
    }
  }

  #searchOpen(fd: number, file: FilePath, found: MatchList): void {
    const position = { file, line: 1, found };
    let filled = 0;
    let isSkipping = false;
    for (;;) {
      const length = readSync(fd, this.#buffer, filled, this.#buffer.length - filled, null);
      const end = filled + length;
      if (length === 0) {
        if (!isSkipping) this.#searchLines(end, position);
        return;
      }
      const lastNewline = this.#buffer.lastIndexOf(newline, end - 1);
      const hasLine = lastNewline >= filled && end > 0;
      if (!hasLine && this.#grow(end)) {
        filled = end;
      } else if (!hasLine) {
        // Longer than any line of text: its beginning is searched, its rest is not.
        if (!isSkipping) this.#searchLines(end, { ...position });
        isSkipping = true;
        filled = 0;
      } else {
        filled = this.#takeLines(lastNewline + 1, end, position, isSkipping);
        isSkipping = false;
      }
    }
  }

  /** Searches the lines up to `lineEnd` and moves what follows to the front; returns how much that is. */
  #takeLines(lineEnd: number, end: number, position: Position, isSkipping: boolean): number {
    if (isSkipping) {
      const restEnd = this.#buffer.indexOf(newline) + 1;
      position.line++;
      this.#searchLines(lineEnd, position, restEnd);
    } else {
      this.#searchLines(lineEnd, position);
    }
    this.#buffer.copy(this.#buffer, 0, lineEnd, end);
    return end - lineEnd;
  }

  /** Makes room for a line that does not end in the buffer; false when it is long enough already. */
  #grow(end: number): boolean {
    if (end < this.#buffer.length) return true;
    if (this.#buffer.length >= maxLineBytes) return false;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2);
    this.#buffer.copy(larger, 0, 0, end);
    this.#buffer = larger;
    return true;
  }

  /** Searches whole lines, from `from` to `to`, and counts them. */
  #searchLines(to: number, position: Position, from = 0): void {
    const lines = this.#buffer.subarray(0, to);
    let counted = from;
    for (let at = from; at < to; ) {
      const hit = this.#regex.search(lines, at, to);
      if (hit < 0) break;
      const before = hit === 0 ? -1 : lines.lastIndexOf(newline, hit - 1);
      const lineStart = Math.max(before + 1, at);
      const next = lines.indexOf(newline, hit);
      const lineEnd = next < 0 ? to : next;
      position.line += countLines(lines, counted, lineStart);
      counted = lineStart;
      position.found.add(position.file, position.line, lines.subarray(lineStart, lineEnd));
      at = lineEnd + 1;
    }
    position.line += countLines(lines, counted, to);
  }
}

interface Position {
  readonly file: FilePath;
  /** The number of the line at the start of what is searched next. */
  line: number;
  readonly found: MatchList;
}

function openFile(file: FilePath): number | undefined {
  try {
    // Does not wait if a pipe has taken the file's place.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    return undefined;
  } catch {
    return undefined;
  }
}

function countLines(bytes: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at++) if (bytes[at] === newline) lines++;
  return lines;
}
