// Streams and long texts: their ends, their lines, and how many bytes they take.
import { isCharacterBoundary } from "@ikigai/protocol";

/** Space for the line that replaces the middle, in bytes. */
const gapBytes = 64;

/** A text whose middle may be missing. */
interface TextEnds {
  /** At least as much of the start as fits. */
  readonly head: string;
  /** At least as much of the end as fits. */
  readonly tail: string;
  /** Length of the whole text, in bytes. */
  readonly bytes: number;
}

/**
 * Shortens a text to its start and end, with a line in between that says how many bytes were left out. Cuts at line breaks,
 * unless that would lose most of what fits.
 *
 * @param room space for the result, in bytes as counted by `lengthOf`.
 */
export function leaveOutMiddle(
  { head, tail, bytes }: TextEnds,
  room: number,
  lengthOf: UnitLength = escapedLength,
): string {
  const half = Math.floor((room - gapBytes) / 2);
  if (half <= 0) return head.slice(0, headEnd(head, room));
  const start = startWithin(head, half, lengthOf);
  const end = endWithin(tail, half, lengthOf);
  // Invalid bytes become longer when they are decoded.
  const leftOut = Math.max(0, bytes - Buffer.byteLength(start) - Buffer.byteLength(end));
  return `${start}${start.endsWith("\n") ? "" : "\n"}… ${leftOut} bytes left out …\n${end}`;
}

/** Returns the end of the longest head that fits in `room` bytes of JSON: after a newline, if there is one. */
export function headEnd(text: string, room: number): number {
  const end = fittingHead(text, room, escapedLength);
  return end === text.length ? end : afterLastNewline(text, end) || end;
}

function startWithin(text: string, room: number, lengthOf: UnitLength): string {
  const end = fittingHead(text, room, lengthOf);
  const lineEnd = end === text.length ? end : afterLastNewline(text, end);
  return text.slice(0, lineEnd < end / 2 ? end : lineEnd);
}

function endWithin(text: string, room: number, lengthOf: UnitLength): string {
  const start = fittingTail(text, room, lengthOf);
  // The newline before the tail may be the first character that did not fit.
  const lineStart = start === 0 ? 0 : text.indexOf("\n", start - 1) + 1;
  const isMostlyOneLine = lineStart === 0 || lineStart - start > (text.length - start) / 2;
  return text.slice(isMostlyOneLine ? start : lineStart);
}

/** Where the longest head that fits ends, at a character boundary. */
function fittingHead(text: string, room: number, lengthOf: UnitLength): number {
  let index = 0;
  for (let used = 0; index < text.length; index++) {
    used += lengthOf(text, index);
    if (used > room) break;
  }
  return isCharacterBoundary(text, index) ? index : index - 1;
}

/** Where the longest tail that fits starts, at a character boundary. */
function fittingTail(text: string, room: number, lengthOf: UnitLength): number {
  let index = text.length;
  for (let used = 0; index > 0; index--) {
    used += lengthOf(text, index - 1);
    if (used > room) break;
  }
  return isCharacterBoundary(text, index) ? index : index + 1;
}

function afterLastNewline(text: string, end: number): number {
  return end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
}

/** A stream's content as text. Invalid UTF-8 becomes U+FFFD. */
export interface StreamText extends TextEnds {
  /** Whether nothing is missing; then `head` and `tail` are both the whole text. */
  readonly isWhole: boolean;
}

/** Keeps the first and the last bytes of a stream, half of the limit each. */
export class HeadAndTail {
  readonly #maxBytes: number;
  readonly #halfBytes: number;
  readonly #head = new GrowingBytes();
  readonly #tail = new GrowingBytes();
  #bytes = 0;

  /** @param maxBytes how much is kept, in bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#halfBytes = Math.ceil(maxBytes / 2);
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    const headBytes = Math.min(this.#halfBytes - this.#head.length, chunk.length);
    this.#head.push(chunk.subarray(0, headBytes));
    this.#tail.push(chunk.subarray(headBytes));
    // Moving the tail to the front only now and then keeps the cost per byte constant.
    if (this.#tail.length > 2 * this.#halfBytes) this.#tail.keepLast(this.#halfBytes);
  }

  /** Decodes at the end, so that characters split over two chunks are intact. */
  ends(): StreamText {
    const bytes = this.#bytes;
    if (bytes > this.#head.length + this.#halfBytes) {
      this.#tail.keepLast(this.#halfBytes);
      return { isWhole: false, head: decode(this.#head.bytes), tail: decode(this.#tail.bytes), bytes };
    }
    const whole = decode(
      this.#tail.length === 0 ? this.#head.bytes : Buffer.concat([this.#head.bytes, this.#tail.bytes]),
    );
    return { isWhole: true, head: whole, tail: whole, bytes };
  }

  /** The kept text, in at most `maxBytes` of UTF-8. Does not split characters. */
  toText(): string {
    const ends = this.ends();
    const fits = ends.isWhole && Buffer.byteLength(ends.head) <= this.#maxBytes;
    return fits ? ends.head : leaveOutMiddle(ends, this.#maxBytes, utf8Length);
  }
}

function decode(bytes: Buffer): string {
  return bytes.toString("utf8");
}

/** Bytes in a single buffer that doubles as needed: many small chunks create no objects. */
export class GrowingBytes {
  #buffer = Buffer.alloc(0);
  length = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  push(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.length);
    this.length = length;
  }

  keepLast(count: number): void {
    this.#buffer.copyWithin(0, this.length - count, this.length);
    this.length = count;
  }
}

/** The bytes a code unit takes in some encoding. The first half of a surrogate pair counts for both. */
type UnitLength = (text: string, index: number) => number;

/** In UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8Length(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  if (!isCharacterBoundary(text, index + 1)) return 4;
  return isCharacterBoundary(text, index) ? 3 : 0;
}

/** In UTF-8 inside a JSON string, where a lone surrogate is escaped. */
export function escapedLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x20) return shortEscapes.has(code) ? 2 : 6;
  if (code === 0x22 || code === 0x5c) return 2;
  const length = utf8Length(text, index);
  return length === 3 && code >= 0xd800 && code <= 0xdfff ? 6 : length;
}

/** \b \t \n \f \r */
const shortEscapes = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Takes the bytes of a stream in pieces of any size. */
export interface LineReader {
  /** @param chunk valid until this returns. */
  add(chunk: Buffer): void;
  /** Returns the unfinished line; nothing of one that is too long. */
  rest(): Buffer;
  /** Drops an unfinished line. */
  drop(): void;
}

/**
 * Splits a stream of bytes into lines.
 *
 * @param maxBytes the longest line that is kept, without its line break.
 * @param onLine called with each line, without its line break.
 * @param onLong called once for each line that is longer, as soon as it is.
 */
export function lineReader(maxBytes: number, onLine: (line: Buffer) => void, onLong = () => {}): LineReader {
  // Joined when the line is complete: joining them with each chunk takes time that grows with the square of the line.
  let pieces: Buffer[] = [];
  let length = 0;
  const drop = () => {
    pieces = [];
    length = 0;
  };
  const keep = (piece: Buffer) => {
    const wasLong = length > maxBytes;
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else pieces = [];
    if (length > maxBytes && !wasLong) onLong();
  };
  return {
    add(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
        keep(chunk.subarray(start, end));
        const line = length > maxBytes ? undefined : Buffer.concat(pieces);
        drop();
        start = end + 1;
        if (line) onLine(line);
      }
      if (start < chunk.length) keep(Buffer.from(chunk.subarray(start)));
    },
    rest: () => Buffer.concat(pieces),
    drop,
  };
}
