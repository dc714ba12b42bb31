import type { IncomingMessage } from "node:http";
import { cannotReachProxy, ProxyError, proxyRefusal } from "./proxy.ts";

/** The codes of failed connections, of failed TLS, and of answers that are not HTTP. */
const connectionCode =
  /^(?:E[A-Z]{3,}|EAI_\w+|HPE_\w+|ERR_(?:TLS|SSL)_\w+|CERT_\w+|DEPTH_ZERO\w+|SELF_SIGNED\w+|UNABLE_TO\w+)$/;

/** This process lacks something, or the headers are too long for it. */
const ownCodes = ["EMFILE", "ENFILE", "ENOMEM", "HPE_HEADER_OVERFLOW"];

/** Codes of connections that were closed: they may work the next time. */
const closedCodes = ["ECONNRESET", "EPIPE"];

/**
 * Returns what a request through a proxy failed with before its response began. A request for http goes to the proxy itself, so its
 * connection is the one that failed; one for https has a tunnel, which reports the proxy's errors.
 *
 * @returns a ProxyError, or the error unchanged.
 */
export function proxyFault(error: unknown, url: URL, proxy: URL | undefined): unknown {
  if (proxy === undefined || url.protocol !== "http:" || error instanceof ProxyError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || !connectionCode.test(code) || ownCodes.includes(code)) return error;
  if (!closedCodes.includes(code)) return cannotReachProxy(proxy, error);
  return new ProxyError("network", `The proxy ${proxy.host} closed the connection (${code}).`, {
    retryable: true,
    cause: error,
  });
}

/** Statuses with which a proxy says that it may not or cannot reach a server. */
const refusals = [403, 500, 502, 503, 504];

/**
 * Returns the error for a response that may be the proxy's own, where the server sends JSON: a page with such a status.
 *
 * @returns `undefined` if it is the server's, as far as is known.
 */
export function proxyAnswer(
  url: URL,
  proxy: URL | undefined,
  { statusCode: status = 0, headers }: Pick<IncomingMessage, "statusCode" | "headers">,
): ProxyError | undefined {
  if (proxy === undefined) return undefined;
  if (status === 407) return proxyRefusal(proxy, status);
  // Only the server asks for a login with this header.
  if ("www-authenticate" in headers) return undefined;
  const isData = /\bjson\b|event-stream/.test(headers["content-type"] ?? "");
  if (url.protocol !== "http:" || isData || !refusals.includes(status)) return undefined;
  const text = `The proxy ${proxy.host}, or ${url.host} behind it, responded with ${status}.`;
  return new ProxyError("network", text, { status, retryable: status >= 500 });
}
