import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openRegularFile } from "@ikigai/system";

/** Bytes per read, and bytes hashed before the event loop gets a turn. */
const chunkBytes = 65_536;
const bytesPerTurn = 4_194_304;

/** Hash and size of a regular file. */
export interface HashedFile {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Hashes a regular file; returns `undefined` for anything else. Never blocks on a FIFO or a device.
 *
 * @param maxBytes reads at most about this much; if the file has more, `bytes` exceeds it.
 * @throws the system's error if the file cannot be read.
 */
export async function hashFile(path: string, maxBytes: number): Promise<HashedFile | undefined> {
  const fd = openRegularFile(path);
  if (fd === undefined) return undefined;
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    for (let got = readSync(fd, chunk); got > 0 && bytes <= maxBytes; got = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, got));
      bytes += got;
      if (bytes % bytesPerTurn < got) await nextTurn();
    }
    return { sha256: hash.digest("hex"), bytes };
  } finally {
    closeSync(fd);
  }
}
