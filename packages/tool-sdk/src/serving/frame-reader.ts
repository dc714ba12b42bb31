import { readStdin, stdinChunkBytes } from "../read-stdin.ts";
import { BrokenFrame, endedEarly, parseFrame, toCall, type UncheckedCall } from "./frames.ts";

const newline = 0x0a;

/** Reads call frames from stdin. */
export class FrameReader {
  readonly #chunk = Buffer.allocUnsafe(stdinChunkBytes);
  /** What was read beyond the last frame. */
  #rest: Buffer = Buffer.alloc(0);

  /**
   * Waits for the next call; `undefined` at the end of stdin. Blocks: nothing else runs in the process until a frame arrives.
   *
   * @throws BrokenFrame if it is not a call.
   */
  next(): UncheckedCall | undefined {
    const line = this.#nextLine();
    return line && toCall(parseFrame(line));
  }

  #nextLine(): Buffer | undefined {
    const parts: Buffer[] = [];
    let part = this.#rest;
    for (;;) {
      const end = part.indexOf(newline);
      if (end >= 0) {
        const last = part.subarray(0, end);
        const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
        // Copied: the next read overwrites the chunk.
        this.#rest = Buffer.from(part.subarray(end + 1));
        return line;
      }
      if (part.length > 0) parts.push(Buffer.from(part));
      part = this.#chunk.subarray(0, readStdin(this.#chunk));
      if (part.length > 0) continue;
      if (parts.length === 0) return undefined;
      throw new BrokenFrame(endedEarly);
    }
  }
}
