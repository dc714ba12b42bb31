// The program that has started ikigai, an editor or another agent: reads its messages from stdin, and writes answers, which it may not read.

/**
 * The largest message from the program on stdin, in bytes: a few images of 5 MB as base64, with room.
 */
export const maxMessageBytes = 64 * 1_048_576;

/** Unread output at which the program at stdout counts as gone, in bytes. */
const maxUnreadBytes = 64 * 1_048_576;

/**
 * Returns a function that writes to the program at stdout.
 *
 * @param gone called if stdout is closed, or not read for too long.
 */
export function writerTo(gone: () => void): (message: string | Uint8Array) => void {
  process.stdout.on("error", gone);
  return (message) => {
    // Pipes are written in the background: a program that reads nothing must not stop the end of a call.
    if (process.stdout.writableLength > maxUnreadBytes) return gone();
    process.stdout.write(message);
  };
}

/** Reads what the program writes to stdin. @param beforeEnd called at the end of the input; what it waits for is still answered. */
export async function* readFrom(beforeEnd: () => Promise<void>): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of process.stdin) yield chunk;
  } catch {
    // A closed terminal or a reset socket: the same as the end of the input.
  }
  // The messages of the last chunk reach their handlers first.
  await afterEvents();
  await beforeEnd();
}

/** Waits until what is due now has happened. */
export async function afterEvents(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

/** How long to wait for the program to read the last answers, in milliseconds. */
const patienceMs = 1_000;

/** Waits until the output is written. */
export async function flushed(): Promise<void> {
  if (process.stdout.writableLength === 0) return;
  await Promise.race([
    new Promise((settle) => process.stdout.write("", settle)),
    new Promise((settle) => setTimeout(settle, patienceMs)),
  ]);
}
