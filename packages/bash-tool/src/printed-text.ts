/** What a command has printed, as text. Bytes that are not UTF-8 are U+FFFD. */
export interface PrintedText {
  /** Whether nothing is missing; then `head` is all of it, and so is `tail`. */
  readonly isWhole: boolean;
  readonly head: string;
  readonly tail: string;
  /** How much was printed, in bytes. */
  readonly bytes: number;
}

/** Keeps the first and the last bytes of a stream, half of the limit each, however long it gets. */
export class HeadAndTail {
  readonly #halfBytes: number;
  readonly #head = new GrowingBytes();
  readonly #tail = new GrowingBytes();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#halfBytes = Math.ceil(limitBytes / 2);
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
  toText(): PrintedText {
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
}

function decode(bytes: Buffer): string {
  return bytes.toString("utf8");
}

/** Bytes in one buffer that doubles: a command that prints single bytes costs no object for each. */
class GrowingBytes {
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
