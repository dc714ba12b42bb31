import { canonicalAddress, isIn, listOf } from "./special-addresses.ts";
import { hostOf } from "./web-url.ts";

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
