import { GrowingBytes } from "./growing-bytes.ts";
import { leaveOutMiddle, type TextEnds } from "./leave-out-middle.ts";
import { utf8Length } from "./unit-length.ts";

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
