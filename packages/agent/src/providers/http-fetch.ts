import type http from "node:http";
import { ProxyError, proxyAnswer, proxyFault } from "@ikigai/system";
import { type Way, wayTo } from "@ikigai/system/way-to";
import type { Patience } from "../config/patience.ts";
import { ModelError } from "../model/model-error.ts";
import { decoded } from "./decoded.ts";
import { eventStream } from "./event-stream.ts";
import { LightStream } from "./light-streams.ts";
import { networkError } from "./network-error.ts";
import { proxyFailure } from "./proxy-failure.ts";
import { startWatch, type Watch } from "./watch.ts";

export interface HttpOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly patience: Patience;
  /** Whether the server is Ollama, wherever it runs. */
  readonly isOllama?: boolean;
}

interface RequestInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

interface Route extends Way {
  readonly isOllama: boolean;
}

/** How much of an error response is read, in bytes. */
const maxErrorBytes = 262_144;

/**
 * Creates a `fetch` for model servers, on `node:http`. Compared with the global one it starts 30 ms faster, follows no
 * redirects (they would pass on the key), has only ikigai's timeouts, and rejects responses that are not event streams.
 *
 * It rejects with a `ModelError` or the signal's reason; so does its body.
 */
export function createFetch({ env, patience, isOllama = false }: HttpOptions): typeof fetch {
  const ways = new Map<string, Promise<Way>>();
  const wayOf = (url: URL) => {
    const way = ways.get(url.origin) ?? wayTo(url, env);
    ways.set(url.origin, way);
    // After a code file failed to load, the next request tries again.
    way.catch(() => ways.delete(url.origin));
    return way;
  };
  const request = async (input: string | URL, init: RequestInit = {}) => {
    const url = new URL(input);
    const watch = startWatch(url.host, patience);
    try {
      const way = await wayOf(url);
      const message = await send(url, init, { ...way, isOllama }, watch);
      const refusal = proxyAnswer(url, way.proxy, message);
      if (refusal) {
        message.destroy();
        throw refusal;
      }
      return toResponse(message, url, watch);
    } catch (error) {
      watch.stop();
      throw proxyFailure(error);
    }
  };
  return request as unknown as typeof fetch;
}

/**
 * Sends a request; retries once if a kept-alive connection turns out to be closed, because the server has not read it then.
 */
async function send(url: URL, init: RequestInit, way: Route, watch: Watch): Promise<http.IncomingMessage> {
  const { promise, reused } = sendOnce(url, init, way, watch);
  try {
    return await promise;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!reused() || (code !== "ECONNRESET" && code !== "EPIPE")) throw reason(error, url, way, init.signal);
  }
  try {
    return await sendOnce(url, init, way, watch).promise;
  } catch (error) {
    throw reason(error, url, way, init.signal);
  }
}

function sendOnce(url: URL, { method = "GET", headers, body = "", signal }: RequestInit, way: Way, watch: Watch) {
  const payload = Buffer.from(body);
  const request = way.request(url, {
    method,
    headers: { ...headers, "content-length": payload.length, "accept-encoding": "identity" },
  });
  watch.onExpiry((error) => request.destroy(error));
  // Not the request's own `signal`: that would also end the connection when another request uses it, with an unhandled
  // error.
  const onAbort = () => request.destroy();
  signal?.addEventListener("abort", onAbort);
  request.on("close", () => signal?.removeEventListener("abort", onAbort));
  if (signal?.aborted) onAbort();
  const promise = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on("response", (message) => {
      // It may fail after its reader has gone.
      message.on("error", () => {});
      message.on("end", () => signal?.removeEventListener("abort", onAbort));
      resolve(message);
    });
    request.on("error", reject);
  });
  request.end(payload);
  return { promise, reused: () => request.reusedSocket };
}

function reason(error: unknown, url: URL, { proxy, isOllama }: Route, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || error instanceof ModelError) return error;
  const fault = proxyFault(error, url, proxy);
  return fault instanceof ProxyError ? fault : networkError(error, url, isOllama || undefined);
}

/** The parts of `Response` that the SDK uses; the real one would load all of undici. */
function toResponse(message: http.IncomingMessage, url: URL, watch: Watch): object {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  if (status >= 300 && status < 400) {
    message.destroy();
    throw redirectError(url, status, message.headers.location);
  }
  watch.onExpiry((error) => message.destroy(error));
  const ok = status >= 200 && status < 300;
  const headers = new Map(Object.entries(message.headers).map(([name, value]) => [name, String(value)]));
  const body = ok ? eventStream(message, url, watch) : errorBody(message, url, watch);
  return { ok, status, statusText, headers, body: new LightStream(body) };
}

async function* errorBody(message: http.IncomingMessage, url: URL, watch: Watch): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of decoded(message)) {
      yield chunk;
      bytes += chunk.length;
      if (bytes > maxErrorBytes) break;
    }
  } catch (error) {
    throw error instanceof ModelError ? error : networkError(error, url);
  } finally {
    watch.stop();
    // Do not wait for the rest.
    if (!message.complete) message.destroy();
  }
}

function redirectError(url: URL, status: number, location: string | undefined): ModelError {
  const target = location && URL.canParse(location, url.href) ? new URL(location, url).origin : "nowhere";
  return new ModelError(
    "not_a_model",
    `${url.host} redirects to ${target} (${status}); ikigai does not send the key there. If this is the right server, set it as the base URL.`,
    { status },
  );
}
