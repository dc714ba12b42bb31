// Which hosts and addresses a request may reach: hosts on the internet, and what the user opens with `IKIGAI_WEB_ALLOW`. A host is looked at
// as it is written, then each address of its name before the connection.

import { hostname, networkInterfaces } from "node:os";
import {
  type AddressList,
  addressesInHosts,
  canonicalAddress,
  isIn,
  isPrivateName,
  isSpecial,
  listOf,
  ownAddresses,
  reachedAddress,
  readHosts,
} from "./addresses.ts";
import { WebError } from "./errors.ts";
import { hostOf } from "./web-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How a request reaches its host. */
export interface Route {
  /** Whether a proxy resolves the name. */
  readonly isProxied: boolean;
  /** Whether `IKIGAI_WEB_ALLOW` counts: not for a redirect that comes from outside of what it opens. */
  readonly mayOpen: boolean;
}

/** Which addresses a request to one host may use. */
export interface Admission {
  /** The addresses of a name that may be connected to. */
  usable<Found extends { readonly address: string }>(found: readonly Found[]): Found[];
  /** Whether a connection to this address needs `IKIGAI_WEB_ALLOW`, so that a redirect from there may use it, too. */
  isInside(address: string | undefined): boolean;
  /** Whether an address may be connected to although it turns out to be this computer's. */
  mayBeOwn(address: string): boolean;
  /** The failure if no address is left. */
  blocked(found: readonly { readonly address: string }[]): WebError;
}

/** Says which hosts and addresses may be connected to. */
export interface AddressPolicy {
  /**
   * Checks the host as it is written.
   *
   * @throws WebError `BLOCKED_ADDRESS` if it is a blocked address, or a private name that a proxy would resolve.
   */
  admit(url: URL, route: Route): Admission;
}

/**
 * Returns the policy of the user's environment.
 *
 * @param trusted a URL that the user has set up: its host and port may have any address.
 * @param list lists the addresses of this computer.
 * @param hosts returns the text of its hosts file.
 */
export function addressPolicy(
  env: Environment,
  trusted?: URL,
  list = networkInterfaces,
  hosts = readHosts,
): AddressPolicy {
  const allowed = readAllowList(env[allowVariable]);
  const own = ownAddresses(list);
  return { admit: (url, route) => admit(url, route, { allowed, own, trusted, hosts }) };
}

/**
 * The failure of each request to a URL that is certain before any name server is asked: the host is a blocked address, or a name that
 * this computer gives blocked addresses only. `undefined` for other URLs.
 */
export function certainRefusal(url: URL, env: Environment): WebError | undefined {
  const host = hostOf(url);
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  const addresses = isLocal ? ["127.0.0.1"] : addressesInHosts(host, readHosts());
  const found = addresses.map((address) => ({ address }));
  try {
    const admission = addressPolicy(env).admit(url, { isProxied: false, mayOpen: true });
    return found.length > 0 && admission.usable(found).length === 0 ? admission.blocked(found) : undefined;
  } catch (error) {
    if (error instanceof WebError) return error;
    throw error;
  }
}

interface Known {
  readonly allowed: AllowList;
  /** If unknown, any address may be one of them. */
  readonly own: AddressList | undefined;
  readonly trusted: URL | undefined;
  readonly hosts: () => string;
}

function admit(url: URL, { isProxied, mayOpen }: Route, { allowed, own, trusted, hosts }: Known): Admission {
  const host = hostOf(url);
  const isOpen = mayOpen && (allowed.hasHost(url) || url.host === trusted?.host);
  const isOwn = (address: string) => own === undefined || isIn(own, reachedAddress(address) ?? address);
  const isBlocked = (address: string) => isSpecial(address) || isOwn(address);
  const mayBeOwn = (address: string) => isOpen || (mayOpen && allowed.hasAddress(address));
  const mayUse = (address: string) => mayBeOwn(address) || !isBlocked(address);
  const refusal = (what: string) => blockedAddress(url, own === undefined ? unknownOwn : what, allowed);
  if (canonicalAddress(host) !== undefined && !mayUse(host)) throw refusal(`${host} is ${inside}.`);
  // A proxy resolves names itself, so its names are checked instead of their addresses.
  const isPrivate = () => isPrivateName(host, hostname()) || addressesInHosts(host, hosts()).some(isBlocked);
  if (isProxied && !isOpen && isPrivate())
    throw refusal(`${host} is a name of this computer or of a private network, and the proxy would resolve it.`);
  return {
    mayBeOwn,
    usable: (found) => found.filter(({ address }) => mayUse(address)),
    isInside: (address) => isOpen || (address !== undefined && isBlocked(address)),
    blocked: (found) => refusal(`${host} has only local or private addresses: ${listed(found)}.`),
  };
}

/** A name server can answer with thousands. */
const maxListed = 3;

function listed(found: readonly { readonly address: string }[]): string {
  const first = found.slice(0, maxListed).map(({ address }) => address);
  return found.length > maxListed ? `${first.join(", ")} and ${found.length - maxListed} others` : first.join(", ");
}

const inside = "a local or private address";
const unknownOwn = "The system does not list the addresses of this computer, so any address may be one of them.";

function blockedAddress(url: URL, what: string, { invalid }: AllowList): WebError {
  const port = url.port === "" ? "" : `:${url.port}`;
  const steps = [
    `If this is meant to be reachable, start ikigai with ${allowVariable}=${url.hostname}${port} (host:port, *.domain or a subnet, separated by commas).`,
    ...invalid.map((entry) => `${allowVariable} has an entry that is none of these: ${JSON.stringify(entry)}.`),
  ];
  return new WebError("BLOCKED_ADDRESS", `Blocked: ${what}`, { help: { steps } });
}

/** The variable with hosts and subnets that the user opens: `localhost:3000,*.corp.example,10.1.0.0/16`. */
export const allowVariable = "IKIGAI_WEB_ALLOW";

/** What the user opens. */
export interface AllowList {
  /** Whether the host of a URL is named. */
  hasHost(url: URL): boolean;
  /** Whether an address is in a subnet that is named. */
  hasAddress(address: string): boolean;
  /** Entries that could not be read. They open nothing. */
  readonly invalid: readonly string[];
}

interface HostEntry {
  readonly host: string;
  /** Whether it opens the host's subdomains, and not the host. */
  readonly isBelow: boolean;
  readonly port: number | undefined;
}

/** `localhost`, `localhost:3000`, `*.corp.example`, `[::1]:3000`. */
const hostForm = /^(\*\.)?([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

const subnetForm = /^([0-9a-f:.]+)\/(\d{1,3})$/i;

/** Reads the list from the user's environment. */
export function readAllowList(text = ""): AllowList {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const hosts: HostEntry[] = [];
  const subnets: string[] = [];
  const invalid: string[] = [];
  for (const entry of entries) {
    const host = readHost(entry);
    const subnet = readSubnet(entry);
    if (host) hosts.push(host);
    else if (subnet) subnets.push(subnet);
    else invalid.push(entry);
  }
  const list = listOf(subnets);
  return {
    hasHost: (url) => hosts.some((entry) => covers(entry, url)),
    hasAddress: (address) => isIn(list, address),
    invalid,
  };
}

function readHost(entry: string): HostEntry | undefined {
  const [, star, name = "", port] = hostForm.exec(entry) ?? [];
  const address = `http://${name}/`;
  if (name === "" || !URL.canParse(address) || Number(port ?? 1) > 65_535) return undefined;
  const host = hostOf(new URL(address));
  if (star !== undefined && canonicalAddress(host) !== undefined) return undefined;
  return { host, isBelow: star !== undefined, port: port === undefined ? undefined : Number(port) };
}

function readSubnet(entry: string): string | undefined {
  const [, address = "", bits] = subnetForm.exec(entry) ?? [];
  const plain = canonicalAddress(address);
  // Only the usual spelling: 10.1/16 is not 10.1.0.0/16.
  const isWritten = plain !== undefined && (plain.includes(":") ? address.includes(":") : plain === address);
  return isWritten && Number(bits) <= (plain.includes(":") ? 128 : 32) ? entry : undefined;
}

function covers({ host, isBelow, port }: HostEntry, url: URL): boolean {
  const own = hostOf(url);
  const isHost = isBelow ? own.endsWith(`.${host}`) : own === host;
  return isHost && (port === undefined || port === portOf(url));
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
