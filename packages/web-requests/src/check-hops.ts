import { proxyFor } from "@ikigai/system/proxy";
import { addressPolicy } from "./address-policy.ts";
import type { Hop } from "./send-request.ts";
import { readWebUrl } from "./web-url.ts";

/**
 * Checks the servers that a stored response came through, as if they were connected to now.
 *
 * @returns false if that cannot be told: the request went through a proxy, and would now be direct.
 * @throws WebError `BLOCKED_ADDRESS`, `INVALID_URL`.
 */
export function checkHops(hops: readonly Hop[], env: Readonly<Record<string, string | undefined>>): boolean {
  const policy = addressPolicy(env);
  let mayOpen = true;
  for (const hop of hops) {
    const url = readWebUrl(hop.url);
    const isProxied = proxyFor(url, env) !== undefined;
    const admission = policy.admit(url, { isProxied, mayOpen });
    const { address } = hop;
    if (address === undefined) {
      if (!isProxied) return false;
    } else if (admission.usable([{ address }]).length === 0) throw admission.blocked([{ address }]);
    mayOpen &&= admission.isInside(address);
  }
  return true;
}
