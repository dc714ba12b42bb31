import type { networkInterfaces } from "node:os";
import { type AddressList, isSpecial, listOf } from "./special-addresses.ts";

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
