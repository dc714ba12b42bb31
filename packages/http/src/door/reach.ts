// Whether a host may be reached through the door, and how. In this order: what the rules say, a question if they say nothing, what the
// address policy says about the addresses of its name, the connection.

import net, { type Socket } from "node:net";
import { hostname } from "node:os";
import { type Admission, addressPolicy, certainRefusal } from "../address-policy.ts";
import { canonicalAddress, isIn, isLoopback, isPrivateName, listOf, surroundings } from "../addresses.ts";
import { WebError } from "../errors.ts";
import { attemptMs, explainFailure, lookupFor, openTunnel, refuseOwn } from "../exchange.ts";
import { proxyFor } from "../proxy.ts";
import { type Asker, hostRule, hostText, type Target, urlOf } from "../web-url.ts";

/** What is decided about a host. */
export interface HostVerdict {
  readonly verdict: "allow" | "ask" | "deny";
  /** Whether a rule spells the host, so that its name may lead to a private address. */
  readonly isSpelled?: boolean;
}

/** The answer to a question about a host. `why`: the reason, the end of a sentence. */
export type HostAnswer = { readonly allow: true } | { readonly allow: false; readonly why: string };

/** A host that is asked about. */
export interface AskedTarget extends Target {
  /** Where it leads, if not to the internet: `127.0.0.1, this computer`. A yes is about that. */
  readonly near?: string | undefined;
}

/** What decides at the door. */
export interface DoorOptions {
  /** The user's environment: its own proxy, `IKIGAI_WEB_ALLOW`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns who has these credentials; `undefined` if they are wrong. */
  readonly askerOf: (user: string, password: string) => Asker | undefined;
  /** What the rules say about a host; `undefined` if no rule is about it. */
  readonly ruleFor: (target: Target) => HostVerdict | undefined;
  /** Asks about a host that no rule allows or denies; returns `undefined` if no one can be asked. Absent: such hosts are refused. */
  readonly decide?: ((target: AskedTarget, signal: AbortSignal) => Promise<HostAnswer | undefined>) | undefined;
  /** Says how to allow a host: the end of a sentence. Default: names the rule. */
  readonly advice?: ((rule: string) => string) | undefined;
  /** Answers requests to `ownHost`, which are for this process. Absent: no such host. */
  readonly answerOwn?: OwnAnswer | undefined;
}

/** Answers a request for this process; `undefined` to an unknown one. @param signal aborted when the client leaves. */
export type OwnAnswer = (
  asker: Asker,
  path: string,
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<object | undefined>;

/** The host that is this process: a name that leads nowhere (RFC 6761). */
export const ownHost = "ikigai.invalid";

/** What the parts of the door use. */
export interface Inside {
  readonly env: DoorOptions["env"];
  readonly askerOf: DoorOptions["askerOf"];
  readonly answerOwn: DoorOptions["answerOwn"];
  /**
   * Does something with a host if it may be reached.
   *
   * @throws WebError if it may not, or cannot.
   */
  open<Value>(target: Target, action: (verdict: HostVerdict) => Promise<Value>): Promise<Value>;
  /** Counts what goes through a connection to a host. */
  count(target: Target, socket: Socket): void;
}

/** Returns what decides whether a host may be reached. It throws WebError `BLOCKED_ADDRESS` if it may not. */
export function admission({ env, ruleFor, decide, advice = usualAdvice }: DoorOptions) {
  const ask = askOnce(decide);
  return async (target: Target): Promise<HostVerdict> => {
    const rule = ruleFor(target);
    if (rule?.verdict === "allow") return rule;
    const refused = (why: string) => new WebError("BLOCKED_ADDRESS", `host ${hostText(target)}: ${why}`);
    if (rule?.verdict === "deny") throw refused("a rule denies it");
    const allow = advice(hostRule(target));
    const isNear = isCertainlyNear(target, env);
    const plain = isNear ? "a local or private address" : "not allowed";
    if (!decide) throw refused(`${plain}; ${allow}`);
    // A program could send data in the names that are looked up, so one on the internet is looked up after a yes to it. Then it may
    // lead elsewhere than it says, and there is a second question.
    let lead = isNear ? await leadOf(target, env) : undefined;
    for (;;) {
      if (lead?.isClosed) throw refused(`leads to ${lead.near}${lead.isClosed === "always" ? notNear : `; ${allow}`}`);
      const answer = await ask({ ...target, near: lead?.near });
      if (answer === undefined) throw refused(`${plain}; ${allow}`);
      if (!answer.allow) throw refused(answer.why);
      if (lead) return { verdict: "allow", isSpelled: true };
      lead = await leadOf(target, env);
      if (!lead) return { verdict: "allow" };
    }
  };
}

const notNear = ", which a name on the internet must not";

/** Where a host leads that is not on the internet. */
interface Lead {
  /** Its address, and what that is; without an address if a proxy resolves the name, or nothing does. */
  readonly near: string;
  /** Whether a yes does not open it: `always` if a rule does not, either. */
  readonly isClosed?: "always" | "unspelled";
}

/** Returns where a host leads, if the address policy refuses that; `undefined` for the internet, and for what cannot be looked up. */
async function leadOf(target: Target, env: DoorOptions["env"]): Promise<Lead | undefined> {
  const { lookup } = process.getBuiltinModule("node:dns/promises");
  const isProxied = proxyFor(urlOf(target), env) !== undefined;
  const found = isProxied ? [] : await lookup(target.host, { all: true }).catch(() => []);
  const [first] = found;
  if (!first) return isCertainlyNear(target, env) ? { near: "this computer or a private network" } : undefined;
  if (isUsable(target, found, env)) return undefined;
  const near = (what: string) => `${first.address === target.host ? "" : `${first.address}, `}${what}`;
  const isMetadata = found.some(({ address }) => isIn(metadata, address));
  const isHere = surroundings().ofAddress(first.address) === "computer";
  const what = near(isMetadata ? "a link-local address" : isHere ? "this computer" : "a private address");
  if (!isMetadata && !(isHere && isInternetName(target.host))) return { near: what };
  return { near: what, isClosed: isInternetName(target.host) ? "always" : "unspelled" };
}

/** Whether a host may be connected to at one of its addresses although no rule spells it. */
function isUsable(target: Target, found: readonly { readonly address: string }[], env: DoorOptions["env"]): boolean {
  try {
    return admissionFor(target, { verdict: "allow" }, { isProxied: false, env }).usable(found).length > 0;
  } catch (error) {
    if (isBlocked(error)) return false;
    throw error;
  }
}

/** Whether a host is a name that looks public: its owner may point it anywhere. */
function isInternetName(host: string): boolean {
  return canonicalAddress(host) === undefined && !isPrivateName(host, hostname());
}

function usualAdvice(rule: string): string {
  return `--allow '${rule}'`;
}

export function isBlocked(error: unknown): error is WebError {
  return error instanceof WebError && error.code === "BLOCKED_ADDRESS";
}

/** An address that the policy has refused was allowed by a rule about other names, or a name leads elsewhere than it says. */
export function inWords(error: unknown, target: Target, { ruleFor, advice = usualAdvice }: DoorOptions): unknown {
  if (!isBlocked(error) || error.message.startsWith("host ")) return error;
  const text = `host ${hostText(target)}: leads to a local or private address`;
  const isSpelled = ruleFor(target)?.isSpelled === true;
  const what = isSpelled ? notNear : `; ${advice(hostRule(target))}`;
  return new WebError("BLOCKED_ADDRESS", `${text}${what}`);
}

/** Whether a host is certain to be this computer, or in a private network. */
function isCertainlyNear({ host, port }: Pick<Target, "host" | "port">, env: DoorOptions["env"]): boolean {
  if (isLoopback(host) || isPrivateName(host, hostname())) return true;
  return certainRefusal(urlOf({ host, port }), env) !== undefined;
}

/** How long a connection is held while a person decides, in milliseconds: many clients wait for a minute. */
const maxWaitMs = 60_000;

const late: HostAnswer = { allow: false, why: "the user did not answer in time" };

/** Asks once for all connections of a call to one host that wait at the same time. */
function askOnce(decide: DoorOptions["decide"]): (target: AskedTarget) => Promise<HostAnswer | undefined> {
  const open = new Map<string, Promise<HostAnswer | undefined>>();
  return (target) => {
    if (!decide) return Promise.resolve(undefined);
    const key = JSON.stringify([target.tool, target.call, hostRule(target), target.near]);
    const asked = open.get(key) ?? withinTime((signal) => decide(target, signal)).finally(() => open.delete(key));
    open.set(key, asked);
    return asked;
  };
}

async function withinTime(
  ask: (signal: AbortSignal) => Promise<HostAnswer | undefined>,
): Promise<HostAnswer | undefined> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<HostAnswer>((resolve) => {
    timer = setTimeout(() => resolve(late), maxWaitMs);
  });
  try {
    return await Promise.race([ask(controller.signal), timeUp]);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

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
  if (!isSpelled || !isInternetName(host)) return admission;
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
