import type { Readable } from "node:stream";
import type { MessagePort } from "node:worker_threads";

/** Up to this many bytes, freeing buffers one by one is not worth it: most calls print less. */
const modestBytes = 1_048_576;

let nowhere: MessagePort | undefined;

/**
 * Passes on a stream chunk by chunk, in little memory however long it is.
 *
 * Node reads every chunk into a new buffer of 64 KiB. V8 sees only small objects and does not free them before 30 MB have piled
 * up, so large outputs are freed at once (measured, 50 MiB: +2 MB instead of +33, no slower).
 *
 * @param take gets a chunk that is valid until it returns: copy what must be kept.
 */
export function readChunks(stream: Readable, take: (chunk: Buffer) => void): void {
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    take(chunk);
    if (bytes > modestBytes) free(chunk);
  });
}

/** Transferring a buffer detaches it, and a closed port drops it. */
function free({ buffer, length }: Buffer): void {
  // Part of a larger buffer, which has other users.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== length) return;
  nowhere ??= closedPort();
  nowhere.postMessage(undefined, [buffer]);
}

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
