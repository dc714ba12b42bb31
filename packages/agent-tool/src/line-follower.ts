import { closeSync, openSync, readSync } from "node:fs";

const chunkBytes = 65_536;

/** Reads the lines of a file that another process appends to. */
export class LineFollower {
  readonly #path: string;
  #position = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the complete lines since the last time; none if the file cannot be read. */
  read(): string[] {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, "r");
    } catch {
      return [];
    }
    try {
      const chunk = Buffer.alloc(chunkBytes);
      const parts = [this.#rest];
      for (let length = -1; length !== 0; this.#position += length) {
        length = readSync(descriptor, chunk, 0, chunkBytes, this.#position);
        parts.push(Buffer.from(chunk.subarray(0, length)));
      }
      const bytes = Buffer.concat(parts);
      const end = bytes.lastIndexOf(0x0a) + 1;
      this.#rest = bytes.subarray(end);
      return end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
    } finally {
      closeSync(descriptor);
    }
  }
}
