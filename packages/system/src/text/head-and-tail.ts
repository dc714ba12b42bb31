/** Room for the line that stands where the middle was, in bytes. */
const gapBytes = 48;

/** Keeps the beginning and the end of a stream, however long it is. */
export class HeadAndTail {
  readonly #maxBytes: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #totalBytes = 0;

  /** @param maxBytes how long the text may be in the end, in bytes of UTF-8. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    const room = this.#maxBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const joined = chunk.length < this.#maxBytes ? Buffer.concat([this.#tail, chunk]) : chunk;
    // A copy, as a slice would keep all of the chunk in memory.
    this.#tail = Buffer.from(joined.subarray(-this.#maxBytes));
  }

  /** What was kept. What is not UTF-8 becomes U+FFFD, and no character is cut in two. */
  toText(): string {
    const text = this.#head.toString("utf8");
    const start = Buffer.from(text);
    if (this.#totalBytes <= this.#maxBytes && start.length <= this.#maxBytes) return text;
    const half = Math.floor((this.#maxBytes - gapBytes) / 2);
    const head = wholeLinesAtStart(start.subarray(0, characterStart(start, half, -1)));
    const end = Buffer.from(this.#tail.toString("utf8"));
    const tail = wholeLinesAtEnd(end.subarray(characterStart(end, end.length - half, 1)));
    const leftOut = Math.max(0, this.#totalBytes - head.length - tail.length);
    return `${head}\n… ${leftOut} bytes left out …\n${tail}`;
  }
}

/** Both ends of a text that is longer than `maxBytes` in UTF-8, around a line that says how much was left out. */
export function bothEnds(text: string, maxBytes: number): string {
  const ends = new HeadAndTail(maxBytes);
  ends.add(Buffer.from(text));
  return ends.toText();
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
