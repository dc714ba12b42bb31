import { BlockList, isIP } from "node:net";
import { withoutPassword } from "../text/without-password.ts";

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

/** Facts about a failed proxy besides the message. */
interface ProxyErrorOptions {
  /** The status that the proxy responded with. */
  readonly status?: number;
  /** Whether the same request may work later. */
  readonly retryable?: boolean;
  /** The error of the connection. */
  readonly cause?: unknown;
}

/** A proxy that cannot be used: its URL is invalid (`configuration`), or it does not connect (`network`). */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly code: "configuration" | "network";
  readonly options: ProxyErrorOptions;

  constructor(code: "configuration" | "network", message: string, options: ProxyErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}
