// A request with its redirects, time limits and body: what the tools for the web send. Then the body as text.

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type AddressPolicy, addressPolicy } from "./address-policy.ts";
import { WebError } from "./errors.ts";
import { defaultLimits, exchange, explainFailure, type Limits, maxErrorBytes } from "./exchange.ts";
import { proxyFor, proxyRefusal } from "./proxy.ts";
import { readWebUrl } from "./web-url.ts";

/** A request to send. */
export interface WebRequest {
  /** Read by `readWebUrl`. */
  readonly url: URL;
  /** The environment of the call: proxies, `IKIGAI_WEB_ALLOW`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `GET` by default. */
  readonly method?: "GET" | "POST";
  /** Sent with each request. Those of a request with credentials must not be redirected. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Limits other than the usual ones. */
  readonly limits?: Partial<Limits>;
  /** Whether redirects are followed (default). Otherwise a redirect is a response. */
  readonly followsRedirects?: boolean;
  /** Whether the user has set up this URL, so that it may have any address. */
  readonly isTrusted?: boolean;
}

/** One of the servers that a response came through, to be checked again. */
export interface Hop {
  readonly url: string;
  /** The address that was connected to; missing behind a proxy. */
  readonly address?: string;
}

/** A response, whatever its status. */
export interface WebResponse {
  /** The URL after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The proxy that the response came through, if it can be the proxy's own: `host:port`. */
  readonly proxy?: string;
  /** Decoded. Of a status of 400 and more, only its start. */
  readonly body: Buffer;
  /** The request and its redirects. */
  readonly hops: readonly Hop[];
}

/**
 * Sends a request to a server that a model may have named, and follows its redirects on the same host.
 *
 * @throws WebError for everything that can go wrong outside this program.
 */
export async function sendRequest(wanted: WebRequest): Promise<WebResponse> {
  const limits = { ...defaultLimits, ...wanted.limits };
  const policy = addressPolicy(wanted.env, wanted.isTrusted ? wanted.url : undefined);
  using deadline = startDeadline(limits);
  const hops: Hop[] = [];
  let step: Step = { url: wanted.url, mayOpen: true };
  for (;;) {
    if (hops.length > limits.redirects)
      throw new WebError("TOO_MANY_REDIRECTS", `${wanted.url.host} redirects more than ${limits.redirects} times.`);
    const { url } = step;
    try {
      const next = await visit(step, { wanted, limits, policy, deadline, hops });
      if ("response" in next) return next.response;
      step = next;
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw explainFailure(error, url, wanted.env);
    }
  }
}

/** The next request. */
interface Step {
  readonly url: URL;
  /** Whether `IKIGAI_WEB_ALLOW` counts. */
  readonly mayOpen: boolean;
}

interface Circumstances {
  readonly wanted: WebRequest;
  readonly limits: Limits;
  readonly policy: AddressPolicy;
  readonly deadline: Deadline;
  readonly hops: Hop[];
}

/** Sends one request. Returns the next one if it is redirected. */
async function visit({ url, mayOpen }: Step, around: Circumstances): Promise<Step | { response: WebResponse }> {
  const { wanted, limits, policy, deadline, hops } = around;
  const { env, method = "GET", headers, body, followsRedirects = true } = wanted;
  const { signal } = deadline;
  const proxy = proxyFor(url, env);
  const admission = policy.admit(url, { isProxied: proxy !== undefined, mayOpen });
  const { response, address } = await withHeaders(deadline, url, () =>
    exchange({
      url,
      method,
      headers: { ...headers, "accept-encoding": "gzip, br, deflate" },
      body,
      proxy,
      admission,
      signal,
    }),
  );
  hops.push({ url: url.href, ...(address !== undefined && { address }) });
  const status = response.statusCode ?? 0;
  try {
    if (proxy && status === 407) throw proxyRefusal(proxy, status);
    const target = followsRedirects ? redirectOf(url, status, response.headers.location) : undefined;
    if (target) return { url: target, mayOpen: mayOpen && admission.isInside(address) };
    const isError = status >= 400;
    const read = await readBody(response, {
      maxBytes: isError ? maxErrorBytes : limits.bodyBytes,
      cuts: isError,
      signal,
    });
    const through = proxy && url.protocol === "http:" ? { proxy: proxy.host } : {};
    return { response: { url, status, headers: response.headers, body: read, hops, ...through } };
  } finally {
    response.destroy();
  }
}

async function withHeaders<Value>(deadline: Deadline, url: URL, action: () => Promise<Value>): Promise<Value> {
  using _ = deadline.awaitHeaders(url.host);
  return await action();
}

/** The time limits of one request, as a signal that aborts with the failure. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Starts the time for the headers of a response. */
  awaitHeaders(host: string): Disposable;
}

/** Starts the time of a request. Its timers end with the `using` block, so that a process can answer the next call. */
export function startDeadline(limits: { readonly totalMs: number; readonly firstByteMs: number }): Deadline {
  const controller = new AbortController();
  const after = (milliseconds: number, what: string): Disposable => {
    const timer = setTimeout(
      () => controller.abort(new WebError("TIMEOUT", `${what} within ${Math.ceil(milliseconds / 100) / 10} s.`)),
      Math.max(milliseconds, 0),
    );
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  };
  const whole = after(limits.totalMs, "The response was not complete");
  return {
    signal: controller.signal,
    awaitHeaders: (host) => after(limits.firstByteMs, `${host} did not respond`),
    [Symbol.dispose]: () => whole[Symbol.dispose](),
  };
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Returns where a response redirects to, if that is to be followed; `undefined` for a response that is no redirect.
 *
 * @throws WebError `INVALID_URL`, or `REDIRECT_TO_OTHER_HOST` with the location: a call of its own, with a permission of its own.
 */
export function redirectOf(url: URL, status: number, location: string | undefined): URL | undefined {
  if (!redirectStatuses.has(status) || location === undefined) return undefined;
  const target = readWebUrl(asUtf8(location), url, `${url.host} redirects to another URL, which`);
  if (isSameSite(url, target)) return target;
  throw new WebError(
    "REDIRECT_TO_OTHER_HOST",
    `${url.host} redirects to another host, ${target.host}, which was not followed.`,
    {
      location: target.href,
      hint: "Fetch the location if it is what you want.",
    },
  );
}

/** Node reads headers byte by byte; browsers read this one as UTF-8, if it is that. */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString() : header;
}

/** Whether a redirect stays where it was: on the same host and port, with `www.` or without; and not from https to http. */
function isSameSite(from: URL, to: URL): boolean {
  if (from.protocol === "https:" && to.protocol === "http:") return false;
  return withoutWww(from.host) === withoutWww(to.host);
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}

/** How much of a body is read. */
export interface BodyLimit {
  /** In bytes, after decoding and before. */
  readonly maxBytes: number;
  /** Whether a longer one is cut instead of an error. */
  readonly cuts: boolean;
  readonly signal: AbortSignal;
}

/** Thrown inside, where a body reaches its limit: ends all streams. */
class LimitReached extends Error {}

/**
 * Reads and decodes the body of a response, and stops at the limit.
 *
 * @throws WebError `TOO_LARGE`, or `UNSUPPORTED_TYPE` for an encoding that was not asked for; the errors of the streams.
 */
export async function readBody(response: IncomingMessage, { maxBytes, cuts, signal }: BodyLimit): Promise<Buffer> {
  const { "content-encoding": encoding = "", "content-length": length } = response.headers;
  const decoder = decoderFor(encoding.trim().toLowerCase());
  if (!cuts && Number(length) > maxBytes) {
    response.destroy();
    throw tooLarge(maxBytes);
  }
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of upTo(source, maxBytes, (last) => chunks.push(last))) chunks.push(chunk);
  };
  try {
    if (decoder) await pipeline(response, (source) => upTo(source, maxBytes), decoder, collect, { signal });
    else await pipeline(response, collect, { signal });
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    if (!cuts) throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}

/** Passes chunks on, until there are more than `maxBytes`. `keep` gets the part of the last one that still fits. */
async function* upTo(source: AsyncIterable<Buffer>, maxBytes: number, keep?: (part: Buffer) => void) {
  let left = maxBytes;
  for await (const chunk of source) {
    if (chunk.length > left) {
      keep?.(chunk.subarray(0, left));
      throw new LimitReached();
    }
    left -= chunk.length;
    yield chunk;
  }
}

/** Names of encodings. A longer text of a server would be cut in the message, maybe in the middle of a key. */
const encodingName = /^[a-z0-9-]+(?:, ?[a-z0-9-]+)*$/;
const maxEncodingLength = 40;

function decoderFor(encoding: string): Transform | undefined {
  if (encoding === "" || encoding === "identity") return undefined;
  // Loaded here, since most small pages are not compressed, and a start takes as long as it.
  const { createBrotliDecompress, createGunzip, createInflate } = process.getBuiltinModule("node:zlib");
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  if (encoding === "deflate") return createInflate();
  const name =
    encoding.length <= maxEncodingLength && encodingName.test(encoding) ? `the encoding "${encoding}"` : "an encoding";
  throw new WebError("UNSUPPORTED_TYPE", `The response has ${name}, which cannot be decoded.`);
}

function tooLarge(maxBytes: number): WebError {
  const size = maxBytes % 1_048_576 === 0 ? `${maxBytes / 1_048_576} MiB` : `${maxBytes} bytes`;
  return new WebError("TOO_LARGE", `The response is larger than ${size}.`);
}

/**
 * Checks the servers that a stored response came through, as if they were connected to now.
 *
 * @returns false if that cannot be told: the request went through a proxy, and would now be direct.
 * @throws WebError `BLOCKED_ADDRESS`, `INVALID_URL`.
 */
export function checkHops(hops: readonly Hop[], env: Readonly<Record<string, string | undefined>>): boolean {
  const policy = addressPolicy(env);
  let mayOpen = true;
  for (const hop of hops) {
    const url = readWebUrl(hop.url);
    const isProxied = proxyFor(url, env) !== undefined;
    const admission = policy.admit(url, { isProxied, mayOpen });
    const { address } = hop;
    if (address === undefined) {
      if (!isProxied) return false;
    } else if (admission.usable([{ address }]).length === 0) throw admission.blocked([{ address }]);
    mayOpen &&= admission.isInside(address);
  }
  return true;
}

/** How many bytes of a page may name its encoding. */
const metaBytes = 1_024;

const byteOrderMarks: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
];

/**
 * Decodes a body to text. Its encoding is that of the byte order mark, of the Content-Type, of a `<meta>` in the first 1,024 bytes, else
 * UTF-8; an encoding that does not exist is skipped. Invalid bytes become U+FFFD.
 */
export function decodeText(body: Uint8Array, contentType: string): string {
  const labels = [markOf(body), charsetOf(contentType), metaOf(body)];
  const decoder = labels.map(textDecoderFor).find((found) => found !== undefined) ?? new TextDecoder();
  return decoder.decode(body);
}

function markOf(body: Uint8Array): string | undefined {
  return byteOrderMarks.find(([, bytes]) => bytes.every((byte, index) => body[index] === byte))?.[0];
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";,]+)/i.exec(contentType)?.[1];
}

function metaOf(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, metaBytes)).toString("latin1");
  const label = /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start.replace(/<!--.*?-->/gs, ""))?.[1];
  // The tag was read byte by byte, so it is not what it says.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function textDecoderFor(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
