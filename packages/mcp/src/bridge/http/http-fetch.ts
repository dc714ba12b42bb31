// The `fetch` that the client library gets: requests on `node:http`, through the user's proxy, limited in size, and why one failed.

import type { IncomingMessage } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { ProxyError, proxyAnswer, proxyFault } from "@ikigai/http";
import { type Way, wayTo } from "@ikigai/http/way-to";
import type { FetchLike } from "@modelcontextprotocol/client";
import { BridgeError } from "../bridge-error.ts";
import { maxMessageBytes } from "../server-transport.ts";

interface HttpFetchOptions {
  /** The server's name, for errors. */
  readonly server: string;
  readonly version: string;
  /** Names the proxy, if any. */
  readonly env: NodeJS.ProcessEnv;
  /** Says what may be connected to, where no proxy connects. */
  readonly guard?: ConnectionGuard;
}

/** Says what a request may connect to. */
export interface ConnectionGuard {
  /** Resolves a host name; fails for addresses that must not be requested. */
  readonly lookup: LookupFunction;
  /** The error for a connection that has led to the wrong place. */
  refusalOf(socket: Pick<Socket, "remoteAddress" | "localAddress">): Error | undefined;
}

/** A `fetch`, and how to end its connections. */
export interface HttpFetch {
  readonly fetch: FetchLike;
  readonly close: () => void;
}

/**
 * Creates a `fetch` on `node:http` with the proxies of the agent's own requests, which the global one ignores. It follows no redirects,
 * repeats nothing, and limits headers (16 KiB, Node's limit) and bodies.
 *
 * It rejects with a BridgeError, or the signal's reason; a body fails with a BridgeError.
 */
export function createHttpFetch({ server, version, env, guard }: HttpFetchOptions): HttpFetch {
  const ways = new Map<string, Promise<Way>>();
  const wayOf = (url: URL) => {
    const way = ways.get(url.origin) ?? wayTo(url, env);
    ways.set(url.origin, way);
    return way;
  };
  const fetch: FetchLike = async (input, { method = "GET", headers: given, body, signal } = {}) => {
    const url = new URL(input);
    let proxy: URL | undefined;
    const explain = (error: unknown) => (signal?.aborted ? signal.reason : networkFailure(error, { url, server, env }));
    const headers = new Headers(given);
    if (!headers.has("user-agent")) headers.set("user-agent", `ikigai/${version}`);
    headers.set("accept-encoding", "identity");
    try {
      const way = await wayOf(url);
      proxy = way.proxy;
      const message = await send(way, url, {
        method,
        headers: Object.fromEntries(headers),
        payload: body === undefined || body === null ? undefined : Buffer.from(String(body)),
        signal: signal ?? undefined,
        guard: way.proxy ? undefined : guard,
      });
      const refusal = proxyAnswer(url, proxy, message);
      if (refusal) {
        message.destroy();
        throw refusal;
      }
      return toResponse(message, explain);
    } catch (error) {
      throw explain(proxyFault(error, url, proxy));
    }
  };
  const close = () => {
    for (const way of ways.values()) void way.then(({ agent }) => agent.destroy()).catch(() => {});
  };
  return { fetch, close };
}

interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | undefined;
  readonly signal: AbortSignal | undefined;
  readonly guard: ConnectionGuard | undefined;
}

function send(way: Way, url: URL, { method, headers, payload, signal, guard }: Outgoing): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = way.request(url, {
      method,
      headers: { ...headers, ...(payload && { "content-length": payload.length }) },
      ...(guard && { lookup: guard.lookup }),
    });
    // Not the request's own `signal`: that would also end the connection when another request uses it.
    const abort = () => request.destroy();
    signal?.addEventListener("abort", abort);
    request.on("close", () => signal?.removeEventListener("abort", abort));
    request.on("error", reject);
    if (guard) request.once("socket", (socket) => watch(socket, guard));
    request.on("response", (message) => {
      // It may fail after its reader has gone.
      message.on("error", () => {});
      resolve(message);
    });
    if (signal?.aborted) abort();
    request.end(payload);
  });
}

/** Ends a connection that has led to the wrong place, before anything is sent. */
function watch(socket: Socket, guard: ConnectionGuard): void {
  if (!socket.connecting) return;
  socket.once("connect", () => {
    const refusal = guard.refusalOf(socket);
    if (refusal) socket.destroy(refusal);
  });
}

/** Statuses whose responses have no body. */
const withoutBody = [204, 205, 304];

function toResponse(message: IncomingMessage, explain: (error: unknown) => unknown): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? "", message.rawHeaders[at + 1] ?? "");
  if (withoutBody.includes(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const body = ReadableStream.from(limitedBody(message, explain));
  return new Response(body, { status, statusText: printable(statusText), headers });
}

/** The characters that `Response` accepts. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, "");
}

/** A request that failed. */
interface FailedRequest {
  readonly url: URL;
  /** The server's name. */
  readonly server: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a connection fails with in a sandbox of macOS without a network. Bubblewrap's has a loopback of its own. */
const noNetwork = new Set(["ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "EACCES", "EPERM"]);

/** Explains why a server could not be reached, or its response ended early. */
function networkFailure(error: unknown, { url, server, env }: FailedRequest): unknown {
  if (error instanceof BridgeError) return error;
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const status = error instanceof ProxyError ? error.options.status : undefined;
  if (status === undefined ? lacksNetwork(env, connectionCode(error)) : status === 403 && env.IKIGAI_SANDBOX)
    return new BridgeError("NETWORK_DENIED", `The server ${server} cannot reach ${url.host} from the sandbox.`, [
      `Allow it with the rule ${hostRule(url)}, for example in permission.rules: ikigai help permissions`,
    ]);
  if (error instanceof ProxyError) return new BridgeError("MCP_REQUEST_FAILED", error.message);
  const text = reasonFor(code, url);
  return new BridgeError("MCP_REQUEST_FAILED", text ?? `${url.host} cannot be reached: ${message || code}.`);
}

/** The rule that opens the host of a URL. In a sandbox, its own localhost is another one than that of the machine. */
function hostRule({ hostname, port, protocol }: URL): string {
  const number = port || (protocol === "https:" ? "443" : "80");
  if (/^(?:localhost|127\..*|\[::1\])$/.test(hostname)) return `host(localhost:${number})`;
  return number === "80" || number === "443" ? `host(${hostname})` : `host(${hostname}:${number})`;
}

/** The code of the connection that failed: of the proxy's, if it was that one. */
function connectionCode(error: unknown): string {
  const failed = error instanceof ProxyError ? error.cause : error;
  return (failed as NodeJS.ErrnoException | undefined)?.code ?? "";
}

/** Whether a connection has failed because the sandbox has no network. */
function lacksNetwork({ IKIGAI_SANDBOX: sandbox }: NodeJS.ProcessEnv, code: string): boolean {
  if (!sandbox) return false;
  if (sandbox !== "bubblewrap" || code !== "ECONNREFUSED") return noNetwork.has(code);
  return Object.values(networkInterfaces()).every((addresses) => addresses?.every(({ internal }) => internal));
}

function reasonFor(code: string, { host, hostname }: URL): string | undefined {
  if (code === "ECONNREFUSED") return `${host} refused the connection. Is the server running?`;
  if (code === "ENOTFOUND") return `Host not found: ${hostname}.`;
  if (code === "HPE_HEADER_OVERFLOW") return `The headers of the response of ${host} are longer than 16 KiB.`;
  if (code.startsWith("HPE_")) return `${host} does not answer with HTTP (${code}).`;
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE")
    return `${host} closed the connection (${code}).`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code))
    return `The certificate of ${host} was rejected (${code}). If you trust it, set NODE_EXTRA_CA_CERTS to the file of its CA certificate.`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return `${host} does not use TLS. Should the URL begin with http://?`;
  return undefined;
}

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

  /** @returns the size of the largest event in this chunk; its first one counts with the part that came in chunks before. */
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
