import { GrowingBytes } from "./growing-bytes.ts";
import type { TextEnds } from "./leave-out-middle.ts";

/** Room for the line that stands where the middle was, in bytes. */
const gapBytes = 48;

/** What a stream has carried, as text. Bytes that are not UTF-8 are U+FFFD. */
export interface StreamText extends TextEnds {
  /** Whether nothing is missing; then `head` and `tail` are both the whole text. */
  readonly isWhole: boolean;
}

/** Keeps the first and the last bytes of a stream, half of the limit each, however long it gets. */
export class HeadAndTail {
  readonly #maxBytes: number;
  readonly #halfBytes: number;
  readonly #head = new GrowingBytes();
  readonly #tail = new GrowingBytes();
  #bytes = 0;

  /** @param maxBytes how much is kept. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#halfBytes = Math.ceil(maxBytes / 2);
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    const headBytes = Math.min(this.#halfBytes - this.#head.length, chunk.length);
    this.#head.push(chunk.subarray(0, headBytes));
    this.#tail.push(chunk.subarray(headBytes));
    // Moving the tail to the front only now and then makes the cost of a byte independent of the tail's length.
    if (this.#tail.length > 2 * this.#halfBytes) this.#tail.keepLast(this.#halfBytes);
  }

  /** Decodes at the end, so that a character which came in two chunks is one. */
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

  /** What was kept, in at most `maxBytes` of UTF-8. No character is cut in two. */
  toText(): string {
    return joinEnds(this.ends(), this.#maxBytes);
  }
}

/** Both ends of a text that is longer than `maxBytes` in UTF-8, around a line that says how much was left out. */
export function bothEnds(text: string, maxBytes: number): string {
  return joinEnds({ head: text, tail: text, bytes: Buffer.byteLength(text) }, maxBytes);
}

function joinEnds({ head, tail, bytes }: TextEnds, maxBytes: number): string {
  const start = Buffer.from(head);
  if (bytes <= maxBytes && start.length <= maxBytes) return head;
  const half = Math.floor((maxBytes - gapBytes) / 2);
  const first = wholeLinesAtStart(start.subarray(0, characterStart(start, half, -1)));
  const end = Buffer.from(tail);
  const last = wholeLinesAtEnd(end.subarray(characterStart(end, end.length - half, 1)));
  return `${first}\n… ${Math.max(0, bytes - first.length - last.length)} bytes left out …\n${last}`;
}

function decode(bytes: Buffer): string {
  return bytes.toString("utf8");
}

const newline = 0x0a;

/** The start without the line it breaks off in, unless that line is most of it. */
function wholeLinesAtStart(bytes: Buffer): Buffer {
  const last = bytes.lastIndexOf(newline);
  return last < bytes.length / 2 ? bytes : bytes.subarray(0, last);
}

/** The end without the line it begins in the middle of, unless that line is most of it. */
function wholeLinesAtEnd(bytes: Buffer): Buffer {
  const first = bytes.indexOf(newline);
  return first < 0 || first > bytes.length / 2 ? bytes : bytes.subarray(first + 1);
}

/** The nearest offset in this direction at which a character starts. */
function characterStart(bytes: Buffer, offset: number, step: 1 | -1): number {
  let index = offset;
  while (((bytes[index] ?? 0) & 0xc0) === 0x80) index += step;
  return index;
}
