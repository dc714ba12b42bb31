import {
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
const streamEnded = -32_000;

/**
 * A server with Streamable HTTP. Unlike the library's transport it ends when the server has forgotten the session, reports a stream that
 * ends without the answer at once, and opens a stream again at most twice a second.
 */
export class StreamableServer extends StreamableHTTPClientTransport {
  readonly #ends: (reason: string) => void;

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
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    const { sessionId } = this;
    try {
      await super.send(message, { onRequestStreamEnd: () => this.#failCall(message), ...options });
    } catch (error) {
      if (error instanceof SdkHttpError && error.status === notFound && sessionId !== undefined) {
        this.#ends("The server has ended the session.");
        await this.close();
      }
      throw error;
    }
  }

  /** Answers a request whose stream has ended: the library would wait until the call's time is over. */
  #failCall(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    const error = { code: streamEnded, message: "The server closed the stream before it answered." };
    this.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
  }
}
