// URLs and hosts as programs write them, and as rules and messages name them.

import { WebError } from "./errors.ts";

/** The longest URL, in bytes. */
export const maxUrlBytes = 2_048;

/**
 * Reads a URL of http or https, as the WHATWG standard does, without its fragment.
 *
 * @param what what the message calls it.
 * @throws WebError `INVALID_URL`.
 */
export function readWebUrl(text: string, base?: URL, what = "The URL"): URL {
  if (Buffer.byteLength(text) > maxUrlBytes) throw invalid(`${what} is longer than ${maxUrlBytes} bytes.`);
  if (!URL.canParse(text, base?.href)) throw invalid(`${what} is invalid: ${quoted(text)}.`, urlHint);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid(`${what} begins with ${url.protocol}, and only http: and https: can be fetched.`);
  if (url.username !== "" || url.password !== "")
    throw invalid(`${what} contains a user name or password. Remove it: credentials are never sent.`);
  // Some proxies leave out the dots, and find another host.
  if (/^\.|\.\./.test(url.hostname)) throw invalid(`${what} has an empty part in its host: ${quoted(url.hostname)}.`);
  url.hash = "";
  if (Buffer.byteLength(url.href) > maxUrlBytes) throw invalid(`${what} is longer than ${maxUrlBytes} bytes.`);
  return url;
}

const urlHint = "Write a whole URL, such as https://example.com/page.";

/** The host of a URL without the brackets of an IPv6 address and the dot at the end of a name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** The longest text of a server that a message quotes, in characters. */
const maxQuotedLength = 200;

/** Returns a text that a server may have written for a message: short, and without characters that are not visible. */
export function quoted(text: string): string {
  const start = JSON.stringify(text.slice(0, maxQuotedLength)).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return text.length > maxQuotedLength ? `${start}…` : start;
}

function invalid(message: string, hint?: string): WebError {
  return new WebError("INVALID_URL", message, hint === undefined ? {} : { hint });
}

/** What a program wants to reach. */
export interface Target {
  /** In lower case and punycode, without brackets and without a dot at the end. */
  readonly host: string;
  readonly port: number;
  /** The tool that asks; empty if it cannot be known. */
  readonly tool: string;
  /** The call of the tool, if its process knows it. */
  readonly call?: string | undefined;
}

/** Who connects: a tool, and perhaps one of its calls. */
export type Asker = Pick<Target, "tool" | "call">;

/** A name as it can be looked up, or an address. */
const plainHost = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f:]+)$/;

/** The longest name in the DNS, with some room for addresses. */
const maxHostLength = 255;

/** Reads a host and port, `example.com:443` or `[::1]:443`. `undefined` if programs could find different hosts in it. */
export function readTarget(authority: string, asker: Asker): Target | undefined {
  const [, name = "", port = ""] = /^([^\s/?#@\\]+):(\d{1,5})$/.exec(authority) ?? [];
  const number = Number(port);
  if (name === "" || name.length > maxHostLength || number < 1 || number > 65_535) return undefined;
  if (!URL.canParse(`http://${name}/`)) return undefined;
  const host = hostOf(new URL(`http://${name}/`));
  return plainHost.test(host) ? { host, port: number, ...asker } : undefined;
}

/** The URL that policies and proxies are asked about: whatever is spoken, the door sees a tunnel. */
export function urlOf({ host, port }: Pick<Target, "host" | "port">): URL {
  return new URL(`https://${inUrl(host)}:${port}/`);
}

/** The rule about a host: without a port for those of http and https. */
export function hostRule(target: Pick<Target, "host" | "port">): string {
  return `host(${hostText(target)})`;
}

/** A host as rules, questions and messages name it: without a port for those of http and https. */
export function hostText({ host, port }: Pick<Target, "host" | "port">): string {
  return port === 80 || port === 443 ? inUrl(host) : `${inUrl(host)}:${port}`;
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
