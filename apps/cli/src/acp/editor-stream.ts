import { type AnyMessage, ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { isDeeperThan, type JsonValue } from "@ikigai/protocol";
import { maxMessageBytes, readFrom, writerTo } from "../host/peer.ts";

/** Deeper than any real message, in levels, and shallow enough for the library, which would end the connection. */
const maxDepth = 1_000;

/** The error of JSON-RPC for an invalid message. */
const tooDeep = { code: -32_600, message: "The message is nested too deeply." };

/**
 * The connection to the editor over stdin and stdout.
 *
 * @param beforeEnd called at the end of the input; what it waits for is still answered.
 * @param gone called if stdout is closed, or not read for too long.
 */
export function editorStream(beforeEnd: () => Promise<void>, gone: () => void): Stream {
  const write = writerTo(gone);
  const output = new WritableStream<Uint8Array>({ write: (chunk) => write(chunk) });
  const chunks = readFrom(beforeEnd);
  const input = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const { readable, writable } = ndJsonStream(output, input, { maxMessageBytes });
  const shallow = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!isDeeperThan(message as unknown as JsonValue, maxDepth)) return controller.enqueue(message);
      const { id } = message as { readonly id?: unknown };
      const known = typeof id === "string" || typeof id === "number" ? id : null;
      write(`${JSON.stringify({ jsonrpc: "2.0", id: known, error: tooDeep })}\n`);
    },
  });
  return { readable: readable.pipeThrough(shallow), writable };
}
