import {
  type FetchLike,
  SSEClientTransport,
  type SSEClientTransportOptions,
  SseError,
} from "@modelcontextprotocol/client";
import { statusFailure } from "./status-failure.ts";

const unauthorized = 401;

/**
 * A server with HTTP and SSE, the transport that Streamable HTTP has replaced. Unlike the library's transport it ends with its stream:
 * a new one would be another session, to which the answers of open calls do not come.
 */
export class SseServer extends SSEClientTransport {
  readonly #ends: (reason: string) => void;
  #isOpen = false;
  #isOver = false;

  /** @param ends gets why the session is over. */
  constructor(
    url: URL,
    options: SSEClientTransportOptions & { readonly fetch: FetchLike },
    ends: (reason: string) => void,
  ) {
    super(url, { ...options, fetch: failingFetch(options.fetch) });
    this.#ends = ends;
    this.onerror = (error) => {
      if (this.#isOpen && error instanceof SseError) void this.#end();
    };
  }

  override async start(): Promise<void> {
    await super.start();
    this.#isOpen = true;
  }

  override async close(): Promise<void> {
    this.#isOver = true;
    await super.close();
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#ends("The server closed its event stream.");
    await this.close();
  }
}

/** The library makes a text of a POST that fails; this keeps its status. */
function failingFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || response.ok || response.status === unauthorized) return response;
    throw statusFailure(response.status, await response.text());
  };
}
