// Searches one file: how large files are divided into portions, then the loop over the lines of a portion.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { compile, type Regex } from "@ikigai/posix/ere";
import { isOfMachine } from "@ikigai/posix/glob";
import { createSimdMemory, plainMemory } from "@ikigai/system";
import { monotonicMs } from "@ikigai/tool-sdk";
import { clipAround, type MatchList, maxShownLength, type SearchOptions } from "./match-list.ts";
import type { FilePath } from "./read-request.ts";

/** A part of a file: the lines that start from `from` up to `to`, in bytes. */
interface FilePart {
  readonly file: FilePath;
  readonly from: number;
  readonly to: number;
}

/** What one thread searches at a time. Whole files are plain paths, since there may be very many. */
export type Portion = FilePath | FilePart;

/** Larger files are divided, in bytes. */
const portionBytes = 32 * 1_048_576;

/** Larger files are searched after all others, in bytes. */
const hugeBytes = 1_073_741_824;

/** The size of a block in a file's stats, in bytes. */
const blockBytes = 512;

/** A file with a NUL in so many bytes at its start is binary. */
const headBytes = 8_192;

/** Maximum number of parts of a file: a sparse file may be larger than any disk. */
const maxParts = 4_096;

/** Whether a portion is a whole file. */
export function isWhole(portion: Portion): portion is FilePath {
  return typeof portion === "string" || portion instanceof Uint8Array;
}

/** Returns a portion as a range of a file. */
export function toPart(portion: Portion): FilePart {
  return isWhole(portion) ? { file: portion, from: 0, to: Number.POSITIVE_INFINITY } : portion;
}

/** Whether a file is so large, or has so few blocks for its size, that all others are searched before it. */
function isHuge({ size, blocks }: Pick<Stats, "size" | "blocks">): boolean {
  return size > hugeBytes || (size > portionBytes && blocks * blockBytes < size / 8);
}

/** Whether a file that begins with these bytes is binary. */
function isBinary(start: Buffer): boolean {
  return start.subarray(0, headBytes).includes(0);
}

/**
 * Divides files into parts of similar size, huge ones last. The last part of a file is open-ended, in case the file grows.
 *
 * @param keepsBinary whether binary files stay whole
 */
export function cut(
  files: readonly FilePath[],
  keepsBinary: boolean,
): { readonly portions: Portion[]; readonly bytes: number } {
  const portions: Portion[] = [];
  const last: Portion[] = [];
  let bytes = 0;
  for (const file of files) {
    const { size, blocks } = sizeOf(file);
    const partBytes = Math.max(portionBytes, Math.ceil(size / maxParts));
    bytes += size;
    if (size <= portionBytes || (keepsBinary && isBinary(headOf(file)))) {
      portions.push(file);
      continue;
    }
    const list = isHuge({ size, blocks }) ? last : portions;
    for (let from = 0; from < size; from += partBytes) {
      const to = from + partBytes;
      list.push({ file, from, to: to < size ? to : Number.POSITIVE_INFINITY });
    }
  }
  return { portions: [...portions, ...last], bytes };
}

/** 0 for an inaccessible file: it is skipped when it cannot be opened. */
function sizeOf(file: FilePath): Pick<Stats, "size" | "blocks"> {
  try {
    return statSync(file);
  } catch {
    return { size: 0, blocks: 0 };
  }
}

function headOf(file: FilePath): Buffer {
  const fd = openFile(file);
  if (fd === undefined) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.subarray(0, readSync(fd, bytes, 0, headBytes, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens a file for reading; `undefined` if that is impossible.
 *
 * @throws the system's error if no file can be opened now.
 */
function openFile(file: FilePath): number | undefined {
  try {
    // Does not block if a FIFO has replaced the file.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isOfMachine(error)) throw error;
    return undefined;
  }
}

/** Bytes per read: most files are smaller, and it fits into the processor's cache. */
const chunkBytes = 262_144;

/** The longest line that is searched completely, in bytes; the rest of a longer one is skipped. */
const maxLineBytes = 16 * 1_048_576;

/** Growth factor of the buffer for a long line. Old buffers take memory until they are collected. */
const growth = 4;

/** How much is searched before WebAssembly if the total is unknown, in bytes: its start costs little in comparison. */
const simdAfterBytes = 32 * 1_048_576;

const newline = 0x0a;

/** Searches files one after the other with a single buffer. */
export class FileSearch {
  readonly #options: SearchOptions;
  #regex: Regex;
  #memory = plainMemory;
  #buffer = plainMemory.allocate(chunkBytes);
  #bytesUntilSimd: number;

  constructor(regex: Regex, options: SearchOptions) {
    this.#regex = regex;
    this.#options = options;
    this.#bytesUntilSimd = options.isLarge ? 0 : simdAfterBytes;
  }

  /** Whether the time limit is reached. The current file is then searched only partly. */
  get isTimeUp(): boolean {
    return monotonicMs() >= this.#options.stopAtMs;
  }

  /**
   * Adds the matching lines of a portion. A file that cannot be read, or is no longer a regular file, has none. Under a host a whole
   * file that is binary counts as one match.
   *
   * @param isLast whether all other files have been searched
   * @returns the number of newlines in the portion, unless it is the last of its file or the list is full; `undefined` for a whole
   * file that is huge, unless it `isLast`: it was not searched.
   */
  search(portion: Portion, found: MatchList, isLast = false): number | undefined {
    const { file, from, to } = toPart(portion);
    const fd = openFile(file);
    if (fd === undefined) return 0;
    found.open();
    // Start one byte early: a line begins at `from` only if that byte is a newline.
    const place: Place = { file, found, line: 1, lineAt: Math.min(from, 1), at: Math.max(from - 1, 0), to };
    const isWhole = from === 0 && to === Number.POSITIVE_INFINITY;
    try {
      const filled = isWhole ? this.#fill(fd, 0, place) : 0;
      const start = this.#buffer.subarray(0, filled);
      if (!isLast && filled === this.#buffer.length && isHuge(fstatSync(fd))) return undefined;
      if (isWhole && this.#searchUtf16(fd, start, place)) return 0;
      place.isBinary = isWhole && Number.isFinite(this.#options.maxBytes) && isBinary(start);
      this.#searchOpen(fd, place, from > 0, isWhole ? filled : undefined);
    } catch (error) {
      // A read failed: keep the matches found before.
      if ((error as NodeJS.ErrnoException).syscall !== "read") throw error;
    } finally {
      closeSync(fd);
    }
    return place.line - 1;
  }

  /** Searches a file that starts with the mark of UTF-16, decoded; returns false for other files, and for larger ones. */
  #searchUtf16(fd: number, start: Buffer, place: Place): boolean {
    const mark = start.length < 2 ? 0 : start.readUInt16BE(0);
    if ((mark !== 0xfffe && mark !== 0xfeff) || fstatSync(fd).size > maxLineBytes) return false;
    const text = Buffer.from(new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(readFileSync(fd)));
    if (text.length > this.#buffer.length) this.#allocate(text.length);
    text.copy(this.#buffer);
    this.#searchLines(0, text.length, place);
    return true;
  }

  /**
   * @param startsInRest whether reading starts inside a line, which belongs to the previous portion.
   * @param first how much of the file is in the buffer, if it has been read
   */
  #searchOpen(fd: number, place: Place, startsInRest: boolean, first: number | undefined): void {
    let read = first;
    for (let kept = 0; !this.isTimeUp; ) {
      if (this.#bytesUntilSimd <= 0) this.#accelerate();
      const filled = read ?? this.#fill(fd, kept, place);
      read = undefined;
      const isFileEnd = filled < this.#buffer.length;
      const partEnd = place.to - place.at;
      const from = startsInRest ? this.#lineStart(0, filled) : 0;
      if (from === undefined || from >= partEnd) {
        // No line begins in this buffer.
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
      if ((isFileEnd && last === undefined) || place.isOver) return;
      this.#forget(Math.min(end, partEnd), place);
      if (last !== undefined) return;
      this.#buffer.copyWithin(0, end, filled);
      place.at += end;
      kept = filled - end;
      // Only the start of an overlong line is searched.
      startsInRest = isCut && from === 0;
    }
  }

  /** Reads until the buffer is full or the file ends; returns the number of bytes in the buffer. */
  #fill(fd: number, kept: number, { at }: Place): number {
    let filled = kept;
    while (filled < this.#buffer.length) {
      const length = readSync(fd, this.#buffer, filled, this.#buffer.length - filled, at + filled);
      if (length === 0) break;
      filled += length;
    }
    this.#bytesUntilSimd -= filled - kept;
    return filled;
  }

  /** Enlarges the buffer for a line that does not end in it; returns false at the maximum line length. */
  #grow(): boolean {
    if (this.#buffer.length >= maxLineBytes) return false;
    this.#allocate(this.#buffer.length * growth);
    return true;
  }

  #accelerate(): void {
    this.#bytesUntilSimd = Number.POSITIVE_INFINITY;
    const memory = createSimdMemory();
    if (memory === undefined) return;
    this.#memory = memory;
    this.#allocate(this.#buffer.length);
    this.#regex = compile(this.#options.pattern, { ...this.#options, ...memory });
  }

  #allocate(length: number): void {
    const bytes = this.#memory.allocate(length);
    this.#buffer.copy(bytes);
    this.#buffer = bytes;
  }

  /** Returns the start of the first line after `from`; `undefined` if no line starts up to `filled`. */
  #lineStart(from: number, filled: number): number | undefined {
    const found = this.#buffer.indexOf(newline, from);
    return found < 0 || found >= filled ? undefined : found + 1;
  }

  /** Searches the complete lines from `from` to `to`. */
  #searchLines(from: number, to: number, place: Place): void {
    const { file, found } = place;
    const lines = this.#buffer.subarray(0, to);
    for (let at = from; at < to; ) {
      const hit = this.#regex.search(lines, at, to);
      if (hit < 0) return;
      if (place.isBinary) {
        found.addBinary(file);
        place.isOver = true;
        return;
      }
      const next = lines.indexOf(newline, hit);
      const lineEnd = next < 0 ? to : next;
      if (found.isFull) found.pass(file);
      else {
        const before = hit === 0 ? -1 : lines.lastIndexOf(newline, hit - 1);
        this.#countTo(Math.max(before + 1, at), place);
        const { lineAt } = place;
        if (this.#options.isShared && lineEnd - lineAt > maxShownLength) {
          const { start, end } = this.#regex.locate(lines, lineAt, lineEnd) ?? { start: lineAt, end: lineAt };
          const content = clipAround(lines.subarray(lineAt, lineEnd), start - lineAt, end - lineAt);
          found.add(file, { line: place.line, ...content }, content.content.length);
        } else {
          const end = this.#options.isShared ? lineEnd : Math.min(lineEnd, lineAt + found.usefulBytes);
          const content = lines.toString("utf8", lineAt, end);
          found.add(file, { line: place.line, content }, lineEnd - lineAt);
        }
      }
      at = lineEnd + 1;
    }
  }

  #countTo(lineStart: number, place: Place): void {
    place.line += this.#memory.countNewlines(this.#buffer, place.lineAt, lineStart);
    place.lineAt = lineStart;
  }

  /** Counts lines in the part of the buffer that is about to be overwritten. */
  #forget(end: number, place: Place): void {
    if (!place.found.isFull) this.#countTo(end, place);
    place.lineAt = 0;
  }
}

/** The current position of a search in a file. */
interface Place {
  readonly file: FilePath;
  readonly found: MatchList;
  /** Number of the line that starts at `lineAt` in the buffer. Later lines are counted on demand. */
  line: number;
  lineAt: number;
  /** File offset of the buffer's start, in bytes. */
  at: number;
  /** File offset of the portion's end, in bytes. */
  readonly to: number;
  /** Whether only the first match counts. */
  isBinary?: boolean;
  /** Whether that was found. */
  isOver?: boolean;
}
