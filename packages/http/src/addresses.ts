// Where an address or a name leads: to this computer, into a private network, or to the internet. From the registries of addresses and
// names, what the system says about its own interfaces, and its hosts file.

import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/**
 * Addresses that do not belong to a host on the internet: IANA's special-purpose registries, as updated on 2025-10-09,
 * except those that are globally reachable.
 * https://www.iana.org/assignments/iana-ipv4-special-registry https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const specialSubnets: readonly string[] = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared by carriers
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // not IANA's: Azure's virtual server of each machine, with its agents' keys
  "169.254.0.0/16", // link local; cloud metadata
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // IETF protocols
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4, deprecated
  "192.168.0.0/16", // private use
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "::/96", // unspecified, loopback, and IPv4-compatible, deprecated
  "64:ff9b:1::/48", // NAT64 of a local network
  "100::/64", // discarded
  "100:0:0:1::/64", // dummy prefix
  "2001::/23", // IETF protocols, Teredo among them
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
  "5f00::/16", // segment routing
  "fc00::/7", // unique local
  "fe80::/10", // link local
  "fec0::/10", // site local, deprecated
  "ff00::/8", // multicast
  // Everything else outside 2000::/3, the only part of IPv6 that is allocated to hosts.
  "::/3",
  "4000::/2",
  "8000::/1",
];

/** The prefix of addresses that a NAT64 gateway translates to the IPv4 address in their last 32 bits. */
const nat64Subnet = "64:ff9b::/96";

/** Addresses by family: BlockList would look for an IPv4 address in the IPv6 subnets, too. */
export interface AddressList {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

const special = listOf(specialSubnets);
const nat64 = listOf([nat64Subnet]);

/** A list of the addresses in subnets: `10.0.0.0/8`, `fc00::/7`. */
export function listOf(subnets: readonly string[]): AddressList {
  const list = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    const family = familyOf(address);
    list[family].addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an address is not that of a host on the internet. True for text that is no address. */
export function isSpecial(address: string): boolean {
  const reached = reachedAddress(address);
  return reached === undefined || isIn(special, reached);
}

/** The address that a connection to an address leads to: through NAT64, the IPv4 address. `undefined` for text that is no address. */
export function reachedAddress(text: string): string | undefined {
  const plain = canonicalAddress(text);
  return plain !== undefined && isIn(nat64, plain) ? lastIPv4(plain) : plain;
}

/** Whether an address is in a list. `::ffff:127.0.0.1` is the IPv4 address that it contains. */
export function isIn(list: AddressList, address: string): boolean {
  const plain = canonicalAddress(address);
  if (plain === undefined) return false;
  const family = familyOf(plain);
  return list[family].check(plain, family);
}

/**
 * One spelling for each address: groups in hexadecimal, without the name of an interface; an IPv4 address in IPv6 as IPv4. `undefined`
 * for text that is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  // `isIP` of node:net would take some milliseconds to prepare.
  const url = `http://${text.includes(":") ? `[${text.replace(/%.*$/s, "")}]` : text}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (/^[\d.]+$/.test(hostname)) return hostname;
  if (!hostname.startsWith("[")) return undefined;
  const plain = hostname.slice(1, -1);
  return plain.startsWith("::ffff:") && plain.split(":").length === 5 ? lastIPv4(plain) : plain;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** The IPv4 address in the last 32 bits of an IPv6 address in its one spelling. */
function lastIPv4(address: string): string {
  const groups = address.replace(/::$/, "::0").split(":").slice(-2);
  const bytes = groups.flatMap((group) => {
    const value = Number.parseInt(group || "0", 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join(".");
}

/**
 * Domains that are not on the internet: their names lead to the computer that resolves them, or into its network.
 * https://www.iana.org/assignments/special-use-domain-names
 */
export const privateDomains: readonly string[] = [
  "localhost", // RFC 6761, section 6.3
  "test", // RFC 6761, section 6.2: local servers
  "local", // RFC 6762: multicast DNS; cluster.local of Kubernetes
  "home.arpa", // RFC 8375: home networks
  "service.arpa", // RFC 9665: services of a network
  "internal", // reserved by ICANN for private use, resolution 2024.07.29.06; cloud metadata
  "intranet", // RFC 6762, appendix G: customary in private networks, and so are the next four
  "private",
  "corp", // ICANN does not delegate it, nor home and mail: resolution 2018.02.04.12
  "home",
  "lan",
  "mail",
  "localdomain", // customary: /etc/hosts of many systems
  "svc", // Kubernetes: NAME.NAMESPACE.svc within a cluster
  "consul", // Consul: NAME.service.consul
];

/**
 * Whether a name leads to this computer or into a private network: a name in a private domain, one without a dot, which a hosts
 * file or a search domain completes, and that of this computer.
 *
 * @param host a name without a dot at its end, as `hostOf` returns it, or an address, which is no name.
 * @param own the name of this computer.
 */
export function isPrivateName(host: string, own: string): boolean {
  if (canonicalAddress(host) !== undefined) return false;
  if (!host.includes(".") || host === own.toLowerCase().replace(/\.$/, "")) return true;
  return privateDomains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/**
 * Returns the addresses of this computer, and of what is on the link of a global IPv6 address; `undefined` if the system does not
 * tell, as on Android.
 */
export function ownAddresses(list: typeof networkInterfaces): AddressList | undefined {
  try {
    return listOf(ownSubnets(list()));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SYSTEM_ERROR") return undefined;
    throw error;
  }
}

/** The smallest network that IPv6 addresses are from, in bits. */
const linkPrefix = 64;

/**
 * Returns the subnets of a computer that its interfaces show. A server that listens on all of its addresses also answers at a global one,
 * and without NAT so do the other computers of its network; IPv4 has private addresses for them.
 */
export function ownSubnets(all: ReturnType<typeof networkInterfaces>): string[] {
  return Object.values(all).flatMap((addresses = []) =>
    addresses.map(({ address, family, cidr, internal }) => {
      // Of the loopback interface, Linux has the whole subnet for its own.
      if (internal && cidr !== null) return cidr;
      if (family === "IPv4") return `${address}/32`;
      if (isSpecial(address)) return `${address}/128`;
      // DHCP gives single addresses of a network that only a route names.
      const prefix = Math.min(linkPrefix, Number(cidr?.split("/")[1] ?? linkPrefix));
      return `${address}/${prefix}`;
    }),
  );
}

/** The system's file of names and addresses. Its names are often those of this computer, or of its development servers. */
const hostsFile = "/etc/hosts";

/** Returns the text of the hosts file; empty if it cannot be read. */
export function readHosts(): string {
  try {
    return readFileSync(hostsFile, "utf8");
  } catch {
    return "";
  }
}

/** Returns the addresses that a hosts file has for a name in lower case. */
export function addressesInHosts(name: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/s, "").trim().split(/\s+/);
    return address !== undefined && names.some((one) => one.toLowerCase().replace(/\.$/, "") === name) ? [address] : [];
  });
}

/** Where a host is: this computer, a network that only this computer and its neighbours reach, or the internet. From near to far. */
export const places = ["computer", "network", "internet"] as const;
export type HostPlace = (typeof places)[number];

/** Addresses that lead to the computer itself, whatever interfaces it has: Linux connects to itself for `0.0.0.0` and `::`. */
const itself = listOf(["0.0.0.0/8", "127.0.0.0/8", "::/127"]);
const loopback = listOf(["127.0.0.0/8", "::1/128"]);

/** Whether a host of a URL, without brackets, is this computer by its loopback interface. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isIn(loopback, host);
}

/** Says where hosts are. */
export interface Surroundings {
  /** Where an address leads. */
  ofAddress(address: string): HostPlace;
  /** Where a host of a URL leads, as far as its text and the hosts file tell. A name that looks public is on the internet. */
  ofHost(host: string): HostPlace;
}

/**
 * Returns what is known of this computer and its networks.
 *
 * @param list lists the addresses of this computer.
 * @param hosts returns the text of its hosts file.
 */
export function surroundings(list = networkInterfaces, hosts = readHosts): Surroundings {
  // Where the system does not list them, as on Android, a connection that leads to this computer is still noticed.
  const near = ownAddresses(list) ?? listOf([]);
  const own = new Set(addressesOf(list));
  const ofAddress = (address: string): HostPlace => {
    const reached = reachedAddress(address) ?? address;
    if (isIn(itself, reached) || own.has(reached)) return "computer";
    return isSpecial(address) || isIn(near, reached) ? "network" : "internet";
  };
  return {
    ofAddress,
    ofHost(host) {
      if (isLoopback(host) || host === hostname().toLowerCase()) return "computer";
      if (canonicalAddress(host) !== undefined) return ofAddress(host);
      const known = addressesInHosts(host, hosts()).map(ofAddress);
      return nearest(isPrivateName(host, hostname()) ? ["network", ...known] : known);
    },
  };
}

function addressesOf(list: typeof networkInterfaces): string[] {
  try {
    const all = Object.values(list()).flatMap((addresses = []) => addresses);
    return all.flatMap(({ address }) => canonicalAddress(address) ?? []);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SYSTEM_ERROR") return [];
    throw error;
  }
}

function nearest(found: readonly HostPlace[]): HostPlace {
  return places.find((place) => found.includes(place)) ?? "internet";
}
