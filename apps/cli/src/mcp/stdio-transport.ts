// The connection to an MCP client over stdin and stdout.

import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { maxMessageBytes, readFrom, writerTo } from "../host/terminal/peer.ts";

/** JSON-RPC's codes. */
const parseError = { code: -32_700, message: "Parse error" };
const invalidRequest = { code: -32_600, message: "Invalid Request" };

/** The connection to the MCP client over stdin and stdout. The SDK's own transport copies a long message again for each chunk. */
export interface ClientTransport extends Transport {
  /** Resolves when the client is gone: to why, if it sent something that cannot be read. */
  readonly ended: Promise<string | undefined>;
}

/** @param beforeEnd called once when the client is gone; what it waits for is still answered if the client can read it. */
export function clientTransport(beforeEnd: () => Promise<void>): ClientTransport {
  let settle = (_: string | undefined) => {};
  const ended = new Promise<string | undefined>((resolve) => {
    settle = resolve;
  });
  let isClosed = false;
  const close = async (why?: string) => {
    if (isClosed) return;
    isClosed = true;
    await beforeEnd();
    transport.onclose?.();
    settle(why);
  };
  const write = writerTo(() => void close());
  const read = async () => {
    for await (const line of linesOf(readFrom(beforeEnd))) {
      if (isClosed) return;
      if (line === tooLong) return close(`A message of the client is longer than ${maxMessageBytes} bytes.`);
      const message = parse(line);
      if ("error" in message) write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      else transport.onmessage?.(message.message);
    }
    return close();
  };
  const transport: ClientTransport = {
    ended,
    async start() {
      void read();
    },
    async send(message) {
      write(serializeMessage(message));
    },
    close: () => close(),
  };
  return transport;
}

/** An error as the answer to a message that is not one of the protocol. */
interface ErrorAnswer {
  readonly id: string | number | null;
  readonly error: object;
}

function parse(line: string): { readonly message: JSONRPCMessage } | ErrorAnswer {
  try {
    return { message: deserializeMessage(line) };
  } catch (error) {
    return error instanceof SyntaxError ? { id: null, error: parseError } : { id: idIn(line), error: invalidRequest };
  }
}

/** The ID of an invalid request, so that the client does not wait for its answer; `null` without a valid one. */
function idIn(json: string): ErrorAnswer["id"] {
  const message: unknown = JSON.parse(json);
  const { id }: { id?: unknown } = message ?? {};
  return typeof id === "string" || typeof id === "number" ? id : null;
}

const tooLong = Symbol("too long");

/** The lines that are not blank. An unfinished line at the end is dropped: its message may be cut. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string | typeof tooLong> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString("utf8");
      pieces = [];
      bytes = 0;
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > maxMessageBytes) return yield tooLong;
  }
}

const newline = 0x0a;
