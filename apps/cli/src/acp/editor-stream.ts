import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";

/**
 * The largest message of an editor, in bytes: a few images of 5 MB as base64, with room.
 */
const maxMessageBytes = 64 * 1_048_576;

/** Unread output at which an editor counts as gone, in bytes. */
const maxUnreadBytes = 64 * 1_048_576;

/**
 * The editor at stdin and stdout.
 *
 * @param beforeEnd called at the end of the input; what it waits for is still answered.
 * @param gone called once if stdout is closed, or not read for too long.
 */
export function editorStream(beforeEnd: () => Promise<void>, gone: () => void): Stream {
  process.stdout.on("error", gone);
  const output = new WritableStream<Uint8Array>({
    write(chunk) {
      // Pipes are written in the background: an editor that reads nothing must not stop the end of a call.
      if (process.stdout.writableLength > maxUnreadBytes) return gone();
      process.stdout.write(chunk);
    },
  });
  const chunks = stdinChunks(beforeEnd);
  const input = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return ndJsonStream(output, input, { maxMessageBytes });
}

async function* stdinChunks(beforeEnd: () => Promise<void>): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of process.stdin) yield chunk;
  } catch {
    // A closed terminal or a reset socket: the same as the end of the input.
  }
  // The messages of the last chunk reach their handlers first.
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  await beforeEnd();
}

/** How long to wait for an editor to read the last answers, in milliseconds. */
const patienceMs = 1_000;

/** Waits until the output is written. */
export async function flushed(): Promise<void> {
  if (process.stdout.writableLength === 0) return;
  await Promise.race([
    new Promise((settle) => process.stdout.write("", settle)),
    new Promise((settle) => setTimeout(settle, patienceMs)),
  ]);
}
