import net, { type Socket } from "node:net";
import { hostname } from "node:os";
import { proxyFor } from "@ikigai/system/proxy";
import { type Admission, addressPolicy } from "../address-policy.ts";
import { canonicalAddress, isIn, isPrivateName, listOf, surroundings } from "../addresses.ts";
import { attemptMs, lookupFor, openTunnel, refuseOwn } from "../exchange.ts";
import { explainFailure } from "../explain-failure.ts";
import type { DoorOptions, HostVerdict } from "./admission.ts";
import { type Target, urlOf } from "./target.ts";

/** How long a connection to a host may take, in milliseconds. */
const connectMs = 20_000;

/** Where clouds keep the credentials of a machine. */
const metadata = listOf(["169.254.0.0/16", "168.63.129.16/32", "fe80::/10", "fd00:ec2::254/128"]);

/**
 * Connects to a host, directly or through the user's own proxy.
 *
 * @throws WebError.
 */
export async function reach(target: Target, verdict: HostVerdict, env: DoorOptions["env"]): Promise<Socket> {
  const url = urlOf(target);
  const timeout = AbortSignal.timeout(connectMs);
  try {
    const proxy = proxyFor(url, env);
    const admission = admissionFor(target, verdict, { isProxied: proxy !== undefined, env });
    return proxy ? await openTunnel(url, proxy, timeout) : await connect(target, admission, timeout);
  } catch (error) {
    throw explainFailure(error, url, env);
  }
}

/**
 * What the address policy says. A rule that spells a name opens it, but one that looks public never leads to this computer or to
 * a cloud's metadata: its owner may point it anywhere.
 *
 * @throws WebError `BLOCKED_ADDRESS`.
 */
export function admissionFor(
  { host, port }: Pick<Target, "host" | "port">,
  { isSpelled = false }: HostVerdict,
  { isProxied, env }: { readonly isProxied: boolean; readonly env: DoorOptions["env"] },
): Admission {
  const url = urlOf({ host, port });
  const policy = addressPolicy(env, isSpelled ? url : undefined);
  const admission = policy.admit(url, { isProxied, mayOpen: true });
  if (!isSpelled || canonicalAddress(host) !== undefined || isPrivateName(host, hostname())) return admission;
  const { ofAddress } = surroundings();
  const isOpen = (address: string) => ofAddress(address) !== "computer" && !isIn(metadata, address);
  return {
    ...admission,
    mayBeOwn: () => false,
    usable: (found) => admission.usable(found).filter(({ address }) => isOpen(address)),
  };
}

function connect({ host, port }: Target, admission: Admission, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      host,
      port,
      lookup: lookupFor(admission),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptMs,
      allowHalfOpen: true,
    });
    const stop = () => socket.destroy(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    refuseOwn(socket, admission);
    socket.once("connect", () => {
      signal.removeEventListener("abort", stop);
      if (!socket.destroyed) resolve(socket);
    });
    socket.once("error", reject);
    socket.once("close", () => signal.removeEventListener("abort", stop));
  });
}

/** Passes on what each side sends until both have ended; if one breaks, so does the other. */
export function pipeBoth(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.once("close", () => {
      // After an end it gets the rest.
      if (!from.readableEnded) to.destroy();
    });
  }
}
