import type { IncomingMessage } from "node:http";
import { BridgeError } from "../bridge-error.ts";
import { maxMessageBytes } from "../server-transport.ts";

/** How much is read of a response that reports an error, in bytes. */
const maxErrorBytes = 262_144;

const [newline, carriageReturn] = [0x0a, 0x0d];

/**
 * The bytes of a response. An event of a stream, and any other response, is limited as a message of a server's output is; a stream of
 * events as a whole is not.
 *
 * @param explain makes the error that the reader gets.
 * @throws BridgeError.
 */
export async function* limitedBody(
  message: IncomingMessage,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  const { statusCode = 0, headers } = message;
  const coding = headers["content-encoding"] ?? "identity";
  const isEvents = /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
  const maxBytes = statusCode < 400 ? maxMessageBytes : maxErrorBytes;
  const events = new EventSize();
  let bytes = 0;
  try {
    if (coding.toLowerCase() !== "identity")
      throw new BridgeError(
        "MCP_REQUEST_FAILED",
        `The response is compressed (${coding}), which ikigai did not request.`,
      );
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes = isEvents ? events.add(chunk) : bytes + chunk.length;
      if (bytes > maxBytes)
        throw new BridgeError("MCP_REQUEST_FAILED", `The response is longer than ${maxBytes} bytes.`);
      yield chunk;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    // Its reader has gone; the rest would keep the connection.
    if (!message.complete) message.destroy();
  }
}

/** Counts the bytes of the current event: an empty line ends it. */
class EventSize {
  #bytes = 0;
  #isLineEmpty = true;
  #isAfterReturn = false;

  /** @returns the size of the largest event in this chunk, with what came before of its first one. */
  add(chunk: Buffer): number {
    let most = 0;
    for (const byte of chunk) {
      this.#bytes++;
      const isEnd = byte === carriageReturn || (byte === newline && !this.#isAfterReturn);
      if (isEnd && this.#isLineEmpty) {
        most = Math.max(most, this.#bytes);
        this.#bytes = 0;
      }
      if (byte !== newline || !this.#isAfterReturn) this.#isLineEmpty = isEnd;
      this.#isAfterReturn = byte === carriageReturn;
    }
    return Math.max(most, this.#bytes);
  }
}
