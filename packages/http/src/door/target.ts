import { hostOf } from "../web-url.ts";

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

/** A host as rules and messages name it. */
export function hostText({ host, port }: Pick<Target, "host" | "port">): string {
  return port === 80 || port === 443 ? inUrl(host) : `${inUrl(host)}:${port}`;
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
