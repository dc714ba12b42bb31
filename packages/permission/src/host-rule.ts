import type { RegisteredTool } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import type { CallFacts } from "./call-facts.ts";
import { twinOf } from "./domain/domain-rule.ts";
import { readUrl } from "./domain/plain-url.ts";
import { parseRule } from "./parse-rule.ts";
import { isVerdict, type Permission, type PermissionRule, type Verdict } from "./permission.ts";

/* Rules about hosts, `host(example.com)`: what programs in the sandbox may reach. First match first, like rules about calls. */

/** A host that a program wants to reach: a name in lower case, or an address without brackets. */
export interface WantedHost {
  readonly host: string;
  readonly port: number;
}

/** What rules say about a host. */
export interface HostRule {
  readonly verdict: Verdict;
  /** Whether a rule spells the host, so that its name may lead to a private address. */
  readonly isSpelled: boolean;
}

/** What the rules say about a host, with those of the agents above this one: what one of them does not allow is asked about. */
export function hostRuleFor(
  wanted: WantedHost,
  { rules, limits = [] }: Pick<Permission, "rules" | "limits">,
): HostRule | undefined {
  const found = [rules, ...limits.map((limit) => limit.rules)].map((list) => firstRule(wanted, list));
  const of = (verdict: Verdict) => found.find((rule) => rule?.verdict === verdict);
  const strictest = of("deny") ?? of("ask");
  if (strictest || found.includes(undefined)) return strictest;
  return { verdict: "allow", isSpelled: found.every((rule) => rule?.isSpelled === true) };
}

/** Without a port, a rule that allows is about those of http and https, and any other about all. */
function firstRule({ host, port }: WantedHost, rules: readonly PermissionRule[]): HostRule | undefined {
  for (const { verdict: written, rule } of rules) {
    const { reach } = parseRule(rule) ?? {};
    if (reach === undefined) continue;
    // An unknown verdict denies: the user has not allowed it.
    const verdict: Verdict = isVerdict(written) ? written : "deny";
    const { port: own, host: name, isBelow } = reach === "*" ? { host: "", isBelow: true } : reach;
    const isPort = own === undefined ? verdict !== "allow" || port === 80 || port === 443 : port === own;
    const isHost =
      reach === "*" ||
      (isBelow ? host.endsWith(`.${name}`) : ofMachine(host) === ofMachine(name.replace(/^\[|\]$/g, "")));
    if (isPort && isHost) return { verdict, isSpelled: reach !== "*" && !isBelow };
  }
  return undefined;
}

/** This machine under its usual names; other hosts as they are. */
function ofMachine(host: string): string {
  return ["127.0.0.1", "::1", "[::1]"].includes(host) ? "localhost" : host;
}

/** The ports of this machine that rules open. */
export function localPorts({ rules }: Pick<Permission, "rules">): number[] {
  return rules.flatMap(({ verdict, rule }) => {
    const { reach } = parseRule(rule) ?? {};
    if (verdict !== "allow" || reach === undefined || reach === "*") return [];
    return ofMachine(reach.host) === "localhost" && reach.port !== undefined ? [reach.port] : [];
  });
}

/** A host as rules and questions name it: without a port for those of http and https. */
export function hostText({ host, port }: WantedHost): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}

/** The host that `hostText` names; `undefined` for other texts. */
export function readHostText(text: string): WantedHost | undefined {
  const { reach } = parseRule(`host(${text})`) ?? {};
  if (reach === undefined || reach === "*" || reach.isBelow) return undefined;
  return { host: reach.host.replace(/^\[|\]$/g, ""), port: reach.port ?? 443 };
}

/** The host of a page that a shipped tool is to get: rules about hosts count for it, wherever it runs. */
export function pageHost({ tool, declared, args, url }: CallFacts): WantedHost | undefined {
  // Rules allow an address only in the one spelling.
  if (!isWebTool(tool) || declared.access !== undefined || !url || args.url !== url.href) return undefined;
  return { host: url.host.replace(/^\[|\]$/g, ""), port: url.port };
}

/**
 * Says which hosts a call may reach because it was permitted, so that the door need not ask again: the host of its page, with `www.`
 * and without, or for a search the service that the user has set up. `undefined` for tools that did not come with ikigai, and for commands.
 */
export function permittedHosts(tool: RegisteredTool, { url }: JsonObject): ((host: string) => boolean) | undefined {
  if (!isWebTool(tool)) return undefined;
  if (url === undefined) return () => true;
  const page = typeof url === "string" ? readUrl(url) : undefined;
  if (!page) return undefined;
  const hosts = [page.host, twinOf(page.host)].map((host) =>
    hostText({ host: host.replace(/^\[|\]$/g, ""), port: page.port }),
  );
  return (host) => hosts.includes(host);
}

function isWebTool({ scope, schema }: RegisteredTool): boolean {
  return scope === "system" && schema.ikigai?.access === undefined;
}
