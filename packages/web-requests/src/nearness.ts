import { hostname, networkInterfaces } from "node:os";
import { addressesInHosts, readHosts } from "./hosts-file.ts";
import { ownAddresses } from "./own-addresses.ts";
import { isPrivateName } from "./private-names.ts";
import { canonicalAddress, isIn, isSpecial, listOf, reachedAddress } from "./special-addresses.ts";

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
