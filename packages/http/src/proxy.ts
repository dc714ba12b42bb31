// The proxy for a URL, and what to say when it does not work.

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { withoutPassword } from "@ikigai/system";
import { ProxyError } from "./errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a URL, from the variables that curl reads. Local addresses never use a proxy, whatever NO_PROXY
 * contains. `proxy-from-env` has the same rules, but reads only its own process's environment.
 *
 * @throws ProxyError `configuration` if the proxy is not an http URL.
 */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const name = proxyVariable(url.protocol, env);
  if (name === undefined || isLocal(url.hostname) || isExcluded(url, env.no_proxy || env.NO_PROXY)) return undefined;
  const proxy = env[name] ?? "";
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return new URL(address);
  throw new ProxyError(
    "configuration",
    `Expected ${name} to be a URL like http://proxy:3128, got ${JSON.stringify(withoutPassword(proxy))}.`,
  );
}

/** The variable that names the proxy for a protocol, if one does. */
export function proxyVariable(protocol: string, env: Environment): string | undefined {
  const own = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  return [own.toLowerCase(), own, "all_proxy", "ALL_PROXY"].find((variable) => env[variable]);
}

/** Returns the Authorization header for a URL's user name and password; `undefined` without them. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

/** Returns the headers for requests to a proxy. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  const authorization = basicAuthorization(proxy);
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

/** Decodes percent escapes; invalid ones stay as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function withoutUser(proxy: URL): URL {
  const url = new URL(proxy);
  url.username = "";
  url.password = "";
  return url;
}

/** @param reason the reason phrase of the proxy's answer: the door of a sandbox says there what it refuses. */
export function proxyRefusal(proxy: URL, status: number, reason = ""): ProxyError {
  const text = status === 407 ? rejectedLogin(proxy) : `The proxy ${proxy.host} refused the connection (${status}).`;
  if (status === 403 && /^host \S+: /.test(reason)) return new ProxyError("network", `Blocked: ${reason}.`, { status });
  // The proxy or its target may be available again soon.
  return new ProxyError("network", text, { status, retryable: status >= 500 });
}

function rejectedLogin(proxy: URL): string {
  const { host, protocol } = proxy;
  const url = `${protocol}//USER:PASSWORD@${host}`;
  if (basicAuthorization(proxy) === undefined)
    return `The proxy ${host} requires authentication (407). Put the user name and password into its URL: ${url}.`;
  const remedy = "Check HTTPS_PROXY, HTTP_PROXY or ALL_PROXY. Special characters are percent-encoded there: @ is %40.";
  return `The proxy ${host} rejected the user name or password in its URL (407). ${remedy}`;
}

export function cannotReachProxy({ host }: URL, error: unknown): ProxyError {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  return new ProxyError(
    "network",
    `Cannot reach the proxy ${host}: ${message || code}. Check HTTPS_PROXY, HTTP_PROXY or ALL_PROXY.`,
    { cause: error },
  );
}

/** A URL has an IPv4 address as four decimal numbers; `127.example.com` is a name. */
function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

function isExcluded(url: URL, list: string | undefined): boolean {
  const address = url.hostname.replace(/^\[|\]$/g, "");
  return (list ?? "").split(/[\s,]+/).some((entry) => {
    const name = entry.replace(/^\*?\.?/, "").toLowerCase();
    if (entry === "*" || (isIP(address) > 0 && isInRange(address, entry))) return true;
    const host = `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
    return name !== "" && [host, url.hostname].some((own) => own === name || own.endsWith(`.${name}`));
  });
}

/** Whether an address is in a range like `10.0.0.0/8`, or is the same as an address in any spelling. */
function isInRange(address: string, entry: string): boolean {
  const [, start = "", bits] = /^\[?([\d.]+|[\da-f:.]+)\]?(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const version = isIP(start);
  const maxBits = version === 6 ? 128 : 32;
  const prefix = Number(bits ?? maxBits);
  if (version === 0 || prefix > maxBits) return false;
  const list = new BlockList();
  list.addSubnet(start, prefix, version === 6 ? "ipv6" : "ipv4");
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

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
