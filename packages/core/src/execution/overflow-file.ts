import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { makePrivateDirectory, privateFileMode, writeAll } from "@ikigai/system";

/** How much of the file is in memory at a time, in bytes. */
const chunkBytes = 262_144;

/** Where an answer goes that is too long to be kept in memory. Only the user can read it. */
export class OverflowFile {
  readonly path: string;
  readonly #fd: number;

  /**
   * @param directory is made if need be; without it the file goes into a new one among the system's temporary files.
   * @throws the system's error when the file cannot be made.
   */
  constructor(directory: string | undefined, callId: string) {
    const place = directory ?? mkdtempSync(join(tmpdir(), "ikigai-"));
    makePrivateDirectory(place);
    // A call's name comes from a model's server: nothing but letters and digits of it reaches the file system.
    const name = callId.replaceAll(/[^A-Za-z0-9_-]/g, "").slice(0, 64);
    this.path = join(place, `output-${name}-${process.pid}-${Math.trunc(performance.now() * 1_000)}.json`);
    this.#fd = openSync(this.path, "wx+", privateFileMode);
  }

  /** @throws the system's error, ENOSPC above all. */
  append(chunk: Buffer): void {
    writeAll(this.#fd, chunk);
  }

  /** Its content, a part at a time. The event loop turns between two parts. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      const chunk = this.read(position, position + chunkBytes);
      if (chunk.length === 0) return;
      yield chunk;
      position += chunk.length;
      await nextTurn();
    }
  }

  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(this.#fd, bytes, length, bytes.length - length, start + length);
    }
    return bytes.subarray(0, length);
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}
