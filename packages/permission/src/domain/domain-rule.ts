import type { RegisteredTool } from "@ikigai/core";
import { isJsonObject } from "@ikigai/protocol";
import { type PlainUrl, readUrl } from "./plain-url.ts";

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
const form = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s\p{C}\p{Z}/\\?#@:*%[\]]+)(?::(\d{1,5}))?$/iu;

const maxPort = 65_535;

/** Words that are meant as the prefix, and would be a pattern that matches nothing. */
const slips = /^(?:domains?|hosts?|hostname|site|url)\s*:/i;

/** Reads the pattern of a rule about hosts. `undefined` for other patterns; a problem, a sentence, if it is invalid. */
export function readDomain(pattern: string): Domain | { readonly problem: string } | undefined {
  if (!slips.test(pattern)) return undefined;
  const [, star, name = "", port] = form.exec(pattern.slice(domainPrefix.length)) ?? [];
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
