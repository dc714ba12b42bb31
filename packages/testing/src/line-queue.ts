import type { Readable } from "node:stream";
import { within } from "@ikigai/system";

/** The longest line, in bytes: more than any host accepts. */
const maxLineBytes = 64 * 1_048_576;

const newline = 0x0a;

/** The lines of a stream, as they are asked for. */
export class LineQueue {
  readonly #lines: string[] = [];
  readonly #parts: Buffer[] = [];
  #partBytes = 0;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(stream: Readable) {
    stream.on("data", (chunk: Buffer) => {
      this.#add(chunk);
      this.#wake();
      if (this.#partBytes > maxLineBytes) stream.destroy();
    });
    stream.on("error", () => {});
    stream.once("close", () => {
      if (this.#partBytes > 0) this.#lines.push(this.#takeLine());
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** The next line without its newline; `undefined` at the end, or if it takes longer than `timeoutMs`. */
  async next(timeoutMs: number): Promise<string | undefined> {
    if (this.#lines.length === 0 && !this.#hasEnded)
      await within(
        timeoutMs,
        new Promise<void>((settle) => {
          this.#wake = () => {
            if (this.#lines.length > 0 || this.#hasEnded) settle();
          };
        }),
      );
    return this.#lines.shift();
  }

  /** What has come since the last newline. */
  unfinished(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }

  #add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#addPart(chunk.subarray(start, end));
      this.#lines.push(this.#takeLine());
      start = end + 1;
    }
    this.#addPart(chunk.subarray(start));
  }

  #addPart(part: Buffer): void {
    this.#partBytes += part.length;
    this.#parts.push(part);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#parts.splice(0)).toString("utf8");
    this.#partBytes = 0;
    return line;
  }
}
