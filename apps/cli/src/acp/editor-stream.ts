import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { maxMessageBytes, readFrom, writerTo } from "../host/peer.ts";

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
  return ndJsonStream(output, input, { maxMessageBytes });
}
