import { canonicalAddress } from "./special-addresses.ts";

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
