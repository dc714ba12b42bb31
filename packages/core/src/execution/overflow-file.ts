import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { makePrivateDirectory, privateFileMode, temporaryPath, writeAll } from "@ikigai/system";

/** Bytes of the file in memory at a time. */
const chunkBytes = 262_144;

/** A file for an answer too long for memory, readable only by the user. */
export class OverflowFile {
  readonly path: string;
  readonly #fd: number;

  /**
   * @param directory is created if missing. Default: a new directory in the system's temporary directory.
   * @throws the system's error if the file cannot be created.
   */
  constructor(directory: string | undefined, callId: string) {
    const place = directory ?? mkdtempSync(temporaryPath("output-"));
    makePrivateDirectory(place);
    // The call id comes from a model's server: only safe characters of it reach the file system.
    const name = callId.replaceAll(/[^A-Za-z0-9_-]/g, "").slice(0, 64);
    this.path = join(place, `output-${name}-${process.pid}-${Math.trunc(performance.now() * 1_000)}.json`);
    this.#fd = openSync(this.path, "wx+", privateFileMode);
  }

  /** @throws the system's error, typically ENOSPC. */
  append(chunk: Buffer): void {
    writeAll(this.#fd, chunk);
  }

  /** Yields the content in chunks; the event loop runs between them. */
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
