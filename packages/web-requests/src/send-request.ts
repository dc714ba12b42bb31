import type { IncomingHttpHeaders } from "node:http";
import { proxyRefusal } from "@ikigai/system";
import { proxyFor } from "@ikigai/system/proxy";
import { type AddressPolicy, addressPolicy } from "./address-policy.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { exchange } from "./exchange.ts";
import { explainFailure } from "./explain-failure.ts";
import { defaultLimits, type Limits, maxErrorBytes } from "./limits.ts";
import { readBody } from "./read-body.ts";
import { redirectOf } from "./redirects.ts";
import { WebError } from "./web-error.ts";

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
