// Web addresses in calls, and the hosts that patterns in rules name: `domain:example.com`. An address counts only in the form in which
// every program finds the same host in it.

import type { RegisteredTool } from "@ikigai/core";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";

/** A web address in which every program finds the same host. */
export interface PlainUrl {
  /** As the WHATWG standard writes it. */
  readonly href: string;
  /** In lower case and punycode, without a dot at the end; an IPv4 address in an IPv6 address as IPv4. */
  readonly host: string;
  readonly port: number;
  /** Whether the port is the scheme's. */
  readonly isDefaultPort: boolean;
}

/** The ports of the schemes that rules know. */
const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** White space, control and invisible characters, and the backslash: some programs skip them, others end the host there. */
const doubtful = /[\\\s\p{Cc}\p{Cf}\p{Z}]/u;

/**
 * A name as it can be looked up, or an address; some programs end the host at any other character, and some proxies leave out dots with
 * nothing between them.
 */
const plainHost = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/;

/** A scheme, two slashes, and a host and port without a user's name. */
const start = /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i;

/**
 * Reads an address of http or https. `undefined` for other texts, and if programs may find different hosts in it: one with a user's
 * name, or with characters in the host that no host's name has, for instance.
 */
export function readUrl(text: string): PlainUrl | undefined {
  if (doubtful.test(text) || !start.test(text) || !URL.canParse(text)) return undefined;
  const { href, protocol, hostname, port } = new URL(text);
  if (!plainHost.test(hostname)) return undefined;
  const usual = ports[protocol] ?? 0;
  return { href, host: sameHost(hostname), port: port === "" ? usual : Number(port), isDefaultPort: port === "" };
}

/** Whether a text is an address of http or https in which programs may find different hosts. */
export function isDoubtfulUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && readUrl(text) === undefined;
}

/** One spelling for hosts that are the same: `docs.rs.` and `docs.rs`, `[::ffff:7f00:1]` and `127.0.0.1`. */
function sameHost(hostname: string): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname.replace(/\.$/, "");
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((part) => [part >> 8, part & 255]);
  return bytes.join(".");
}

/** A call, and the arguments that its tool reads. */
interface AddressCall {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
}

/** Whether a shipped tool may check the address of a call. */
function hasAddress({ tool, args }: AddressCall): boolean {
  return tool.scope === "system" && typeof args.url === "string" && URL.canParse(args.url);
}

/** Why the tool would refuse the address of a call, without a question. `undefined` if it would not, or may not. Loads the address policy. */
export async function refusedAddress(call: AddressCall, env = process.env): Promise<string | undefined> {
  if (!hasAddress(call)) return undefined;
  const { allowVariable, certainRefusal } = await import("@ikigai/http");
  if (!call.tool.schema.ikigai?.needs?.env?.includes(allowVariable)) return undefined;
  const { message, details } = certainRefusal(new URL(String(call.args.url)), env) ?? {};
  return message && [message.replace(/^Blocked: /, ""), ...(details?.help?.steps ?? [])].join(" ");
}

/** The hosts that a rule is about. */
export interface Domain {
  readonly host: string;
  /** Whether the rule is about the host's subdomains, and not about the host. */
  readonly isBelow: boolean;
  readonly port?: number;
}

/** What a pattern about hosts begins with. */
export const domainPrefix = "domain:";

/** A host, or `*.` and a host, and a port. */
const domainForm = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s\p{C}\p{Z}/\\?#@:*%[\]]+)(?::(\d{1,5}))?$/iu;

const maxPort = 65_535;

/** Words that are meant as the prefix, and would be a pattern that matches nothing. */
const slips = /^(?:domains?|hosts?|hostname|site|url)\s*:/i;

/** Reads the pattern of a rule about hosts. `undefined` for other patterns; a problem, a sentence, if it is invalid. */
export function readDomain(pattern: string): Domain | { readonly problem: string } | undefined {
  if (!slips.test(pattern)) return undefined;
  const [, star, name = "", port] = domainForm.exec(pattern.slice(domainPrefix.length)) ?? [];
  const host = pattern.startsWith(domainPrefix) && hostOf(name);
  const isBelow = star !== undefined;
  if (!host || (isBelow && isAddress(host)) || Number(port ?? 1) > maxPort || Number(port) === 0)
    return {
      problem: `Expected domain:HOST, domain:*.HOST for its subdomains only, or domain:HOST:PORT, got ${JSON.stringify(pattern)}.`,
    };
  return { host, isBelow, ...(port !== undefined && { port: Number(port) }) };
}

/**
 * Whether a rule about hosts is about a call to this address. A rule that allows and has no port covers the scheme's own. One that
 * denies or asks covers all ports then, and also the addresses from which `web_fetch` follows a redirect to its host: with `www.` and
 * without, and port 80 if it is about 443.
 */
export function coversHost(domain: Domain, { host, port, isDefaultPort }: PlainUrl, isAllowing: boolean): boolean {
  if (isAllowing) return isAbout(domain, host) && (domain.port === undefined ? isDefaultPort : port === domain.port);
  if (!isAbout(domain, host) && !isAbout(domain, twinOf(host))) return false;
  return domain.port === undefined || port === domain.port || (port === 80 && domain.port === 443);
}

/** The other host of the same site, to which redirects are followed. */
export function twinOf(host: string): string {
  return host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`;
}

function isAbout(domain: Domain, host: string): boolean {
  return domain.isBelow ? host.endsWith(`.${domain.host}`) : host === domain.host;
}

/** Whether a rule that denies or asks has an address in common with another rule about hosts. */
export function haveCommonHosts(strict: Domain, other: Domain): boolean {
  const { port } = strict;
  const isOtherPort = port !== undefined && other.port !== undefined && port !== other.port;
  if (isOtherPort && !(port === 443 && other.port === 80)) return false;
  const isWithin = (narrow: Domain, wide: Domain) => wide.isBelow && narrow.host.endsWith(`.${wide.host}`);
  const isTwin = !strict.isBelow && !other.isBelow && strict.host === twinOf(other.host);
  return strict.host === other.host || isTwin || isWithin(strict, other) || isWithin(other, strict);
}

/** Returns the pattern that allows calls to the host and port of this address. */
export function domainOf({ host, port, isDefaultPort }: PlainUrl): string {
  return `${domainPrefix}${host}${isDefaultPort ? "" : `:${port}`}`;
}

/** Whether the calls of a tool name an address. */
export function takesUrl({ schema: { parameters } }: Pick<RegisteredTool, "schema">): boolean {
  return isJsonObject(parameters.properties) && Object.hasOwn(parameters.properties, "url");
}

function hostOf(name: string): string | undefined {
  return readUrl(`http://${name}/`)?.host;
}

/** Whether a host is an address, which has no subdomains. */
function isAddress(host: string): boolean {
  return host.startsWith("[") || /^[\d.]+$/.test(host);
}
