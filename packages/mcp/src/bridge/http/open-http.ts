// The transport to a remote server: Streamable HTTP, or the older HTTP with SSE. Below: its URL and headers, and what both add to the
// client library's own.

import { AsyncLocalStorage } from "node:async_hooks";
import { textStart } from "@ikigai/protocol";
import { within } from "@ikigai/system";
import {
  type FetchLike,
  isJSONRPCResponse,
  type JSONRPCMessage,
  SdkHttpError,
  SSEClientTransport,
  type SSEClientTransportOptions,
  SseError,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import type { HttpEntry } from "../../server/server-entry.ts";
import { Access } from "../auth/access.ts";
import { BridgeError, statusFailure } from "../bridge-error.ts";
import type { ServerPlace } from "../server-place.ts";
import type { OpenTransport, TransportOptions } from "../server-transport.ts";
import { createHttpFetch } from "./http-fetch.ts";

/** How long the server may take to end the session, in milliseconds: a tool has two seconds in all. */
const endMs = 1_000;

/**
 * Returns the transport to a remote server.
 *
 * @throws BridgeError if the URL or a header is invalid, which may come from a variable.
 */
export function openHttp(
  place: ServerPlace,
  target: HttpEntry,
  { version, log, access }: TransportOptions,
): OpenTransport {
  const { name, env } = place;
  const url = readUrl(target.url, name);
  const headers = readHeaders(target.headers, name);
  const http = createHttpFetch({ server: name, version, env });
  const startedMs = performance.now();
  let [startMs, reason] = [0, ""];
  const fetch: FetchLike = async (input, init) => {
    const response = await http.fetch(input, init);
    startMs ||= performance.now() - startedMs;
    refuseElsewhere(new URL(input), response);
    return response;
  };
  const ends = (why: string) => {
    reason = why;
    log(`${name}: ${why}\n`);
  };
  const options = {
    fetch,
    requestInit: { headers },
    // A header of the entry has precedence over a login.
    ...(!headers.has("authorization") && { authProvider: access ?? new Access(place, url, { version }) }),
  };
  const isSse = target.type === "sse";
  const transport = isSse ? new SseServer(url, options, ends) : new StreamableServer(url, options, ends);
  let closing: Promise<void> | undefined;
  const end = async () => {
    if (transport instanceof StreamableServer)
      await within(
        endMs,
        transport.terminateSession().catch(() => {}),
      );
    await transport.close();
    http.close();
  };
  return {
    transport,
    howEnded: () => "exited",
    lastWords: () => reason,
    isExplained: () => true,
    hasDied: () => reason !== "",
    startMs: () => startMs,
    close() {
      closing ??= end();
      return closing;
    },
  };
}

/** A redirect to another server would get the call and its headers. The library follows those within an origin. */
function refuseElsewhere(from: URL, { status, headers, body }: Response): void {
  const location = headers.get("location") ?? "";
  if (status < 300 || status >= 400 || !URL.canParse(location, from.href)) return;
  const { protocol, host, origin } = new URL(location, from);
  if (origin === from.origin) return;
  void body?.cancel();
  throw new BridgeError(
    "MCP_REQUEST_FAILED",
    `It redirects to ${protocol}//${host} (HTTP ${status}). If that is the right server, add it by that URL.`,
  );
}

/** Reads the URL of an entry. @throws BridgeError. */
export function readUrl(text: string, server: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  // Without the value, which may be a secret.
  throw new BridgeError("MCP_REQUEST_FAILED", `The URL of the MCP server ${server} is not an http or https URL.`);
}

function readHeaders(headers: Readonly<Record<string, string>>, server: string): Headers {
  const read = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      read.set(name, value);
    } catch {
      throw new BridgeError(
        "MCP_REQUEST_FAILED",
        `The header ${name} of the MCP server ${server} has a value that HTTP does not allow.`,
      );
    }
  }
  return read;
}

const unauthorized = 401;

/**
 * A server with HTTP and SSE, the transport that Streamable HTTP has replaced. Unlike the library's transport it ends with its stream:
 * a new one would be another session, to which the answers of open calls do not come.
 */
class SseServer extends SSEClientTransport {
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
