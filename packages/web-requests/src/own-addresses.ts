import { networkInterfaces } from "node:os";
import { type AddressList, isSpecial, listOf } from "./special-addresses.ts";

/** Returns the addresses of this computer, and of what is on the link of a global IPv6 address. */
export function ownAddresses(): AddressList {
  return listOf(ownSubnets(interfaces()));
}

/**
 * Returns the subnets of a computer that its interfaces show. A server that listens on all of its addresses also answers at a global one,
 * and without NAT so do the other computers of its network; IPv4 has private addresses for them.
 */
export function ownSubnets(all: ReturnType<typeof networkInterfaces>): string[] {
  return Object.values(all).flatMap((addresses = []) =>
    addresses.map(({ address, family, cidr }) => {
      if (family === "IPv4") return `${address}/32`;
      return cidr === null || isSpecial(address) ? `${address}/128` : cidr;
    }),
  );
}

function interfaces(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces();
  } catch (error) {
    // The system does not tell, as on Android.
    if ((error as NodeJS.ErrnoException).code === "ERR_SYSTEM_ERROR") return {};
    throw error;
  }
}
