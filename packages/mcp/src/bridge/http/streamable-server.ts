import { AsyncLocalStorage } from "node:async_hooks";
import { textStart } from "@ikigai/protocol";
import {
  isJSONRPCResponse,
  type JSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The shortest and the longest wait before a stream is opened again, in milliseconds; the server asks for one. */
const [minWaitMs, maxWaitMs] = [500, 30_000];

const notFound = 404;

/** The code of JSON-RPC for errors of an implementation. */
const noAnswer = -32_000;

/** How much of an unexpected id an error repeats, in characters. */
const maxIdLength = 100;

/**
 * A server with Streamable HTTP. Unlike the library's transport it ends when the server has forgotten the session, reports a stream that
 * ends without the answer, or has another one, at once, and opens a stream again at most twice a second.
 */
export class StreamableServer extends StreamableHTTPClientTransport {
  readonly #ends: (reason: string) => void;
  /** What was sent by the POST whose response is being read: the library does not say which one a message comes from. */
  readonly #sent = new AsyncLocalStorage<JSONRPCMessage>();
  readonly #unanswered = new Set<string>();

  /** @param ends gets why the session is over. */
  constructor(url: URL, options: StreamableHTTPClientTransportOptions, ends: (reason: string) => void) {
    super(url, {
      ...options,
      // A call opens no browser.
      onInsufficientScope: "throw",
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = setTimeout(reconnect, Math.min(maxWaitMs, Math.max(minWaitMs, delayMs)));
        return () => clearTimeout(timer);
      },
    });
    this.#ends = ends;
    // The client calls this one before its own.
    this.onmessage = (message) => this.#examine(message);
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    const { sessionId } = this;
    const id = requestId(message);
    if (id !== undefined) this.#unanswered.add(String(id));
    const onRequestStreamEnd = () => this.#failCall(message, "The server closed the stream before it answered.");
    try {
      await this.#sent.run(message, () => super.send(message, { onRequestStreamEnd, ...options }));
    } catch (error) {
      if (error instanceof SdkHttpError && error.status === notFound && sessionId !== undefined) {
        this.#ends("The server has ended the session.");
        await this.close();
      }
      throw error;
    }
  }

  /** Fails a request whose answer has an id that was never sent: the library would ignore it. */
  #examine(message: JSONRPCMessage): void {
    if (!isJSONRPCResponse(message) || this.#unanswered.delete(String(message.id))) return;
    const sent = this.#sent.getStore();
    const expected = sent && requestId(sent);
    // A late answer: the stream was opened again, and the request has failed since.
    if (!sent || String(expected) === String(message.id)) return;
    const given = textStart(JSON.stringify(message.id) ?? "none", maxIdLength);
    this.#failCall(sent, `Its answer has the id ${given} instead of ${JSON.stringify(expected)}.`);
  }

  /** Answers a request that gets no answer: the library would wait until the call's time is over. */
  #failCall(message: JSONRPCMessage, why: string): void {
    const id = requestId(message);
    if (id !== undefined) this.onmessage?.({ jsonrpc: "2.0", id, error: { code: noAnswer, message: why } });
  }
}

function requestId(message: JSONRPCMessage): string | number | undefined {
  return "method" in message && "id" in message ? message.id : undefined;
}
