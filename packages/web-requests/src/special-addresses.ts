import { BlockList } from "node:net";

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
