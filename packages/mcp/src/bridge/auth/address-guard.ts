import { lookup as lookUp } from "node:dns";
import { lookup as resolve } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { BridgeError } from "../bridge-error.ts";

/** Where an address leads: to this computer, to others nearby, or to the internet. */
type Reach = "loopback" | "private" | "public";

const ranges = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "224.0.0.0/3",
    "::/128",
    "64:ff9b::/96",
    "fc00::/7",
    "fe80::/10",
    "ff00::/8",
  ],
};

const lists = { loopback: listOf(ranges.loopback), private: listOf(ranges.private) };

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

function reachOf(address: string): Reach {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  // BlockList reads ::ffff:127.0.0.1 as the address of IPv4 that it is.
  if (lists.loopback.check(address, family)) return "loopback";
  return lists.private.check(address, family) ? "private" : "public";
}

/** Whether a host name of a URL is this computer. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "");
  return name === "localhost" || name.endsWith(".localhost") || (isIP(name) !== 0 && reachOf(name) === "loopback");
}

/** Says where the URLs of an authorization server may lead. */
export interface AddressGuard {
  /** @throws BridgeError if the URL must not be requested. */
  check(url: URL): void;
  /** Resolves a host name; fails for addresses that must not be requested. */
  readonly lookup: LookupFunction;
}

/** What is allowed for each place of the MCP server: nothing that is nearer to the user than the server itself. */
const allowed: Readonly<Record<Reach, readonly Reach[]>> = {
  loopback: ["loopback", "private", "public"],
  private: ["private", "public"],
  public: ["public"],
};

/**
 * Returns a guard for the URLs that come from a server's metadata: https, or http on this computer; and no address that the MCP server
 * could not have reached, so that it cannot use ikigai to send requests into the user's network.
 */
export async function guardFor(server: URL): Promise<AddressGuard> {
  const own = await reachOfHost(server.hostname);
  const refuse = (host: string) =>
    new BridgeError(
      "MCP_REQUEST_FAILED",
      `The login leads to ${host}, an address inside your network. It was not requested.`,
    );
  return {
    check(url) {
      const { protocol, hostname, host } = url;
      const name = hostname.replace(/^\[|\]$/g, "");
      if (url.username !== "" || url.password !== "" || !/^https?:$/.test(protocol))
        throw new BridgeError(
          "MCP_REQUEST_FAILED",
          `The login leads to a URL that is not allowed: ${protocol}//${host}`,
        );
      if (isIP(name) !== 0 && !allowed[own].includes(reachOf(name))) throw refuse(host);
      if (isLoopback(name) && own !== "loopback") throw refuse(host);
      if (protocol === "http:" && !isLoopback(name))
        throw new BridgeError(
          "MCP_REQUEST_FAILED",
          `The login leads to ${url.origin}, which is not encrypted (https).`,
        );
    },
    lookup(hostname, options, callback) {
      lookUp(hostname, { ...options, all: true }, (error, found) => {
        const bad = error ? undefined : found.find(({ address }) => !allowed[own].includes(reachOf(address)));
        if (error || bad) return callback(error ?? refuse(hostname), []);
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      });
    },
  };
}

/** The nearest place that a host name leads to; `public` if it cannot be resolved here, as behind a proxy. */
async function reachOfHost(hostname: string): Promise<Reach> {
  const name = hostname.replace(/^\[|\]$/g, "");
  if (isLoopback(name)) return "loopback";
  const found = isIP(name) === 0 ? await resolve(name, { all: true }).catch(() => []) : [{ address: name }];
  const reaches = found.map(({ address }) => reachOf(address));
  return (["loopback", "private"] as const).find((reach) => reaches.includes(reach)) ?? "public";
}
