// Rules about hosts that programs in the sandbox may reach: `host(example.com)`. No call is needed to read them.

import { isIP } from "node:net";
import { hostname } from "node:os";
import type { RegisteredTool } from "@ikigai/core";
import { allowVariable, isPrivateName } from "@ikigai/http";
import { isVerdict, type Permission, type PermissionRule, type Verdict } from "../permission.ts";
import { parseRule } from "./rules.ts";

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

/** The environment of a tool that looks at addresses on its own, `web_fetch`: it learns which private ones the rules open. */
export function withOpenedHosts(
  { scope, schema }: RegisteredTool,
  env: NodeJS.ProcessEnv | undefined,
  permission: Pick<Permission, "rules" | "limits">,
): NodeJS.ProcessEnv | undefined {
  if (scope !== "system" || !schema.ikigai?.needs?.env?.includes(allowVariable)) return env;
  const hosts = openedHosts(permission);
  if (hosts.length === 0) return env;
  const given = env ?? process.env;
  return { ...given, [allowVariable]: [given[allowVariable] ?? "", ...hosts].join(" ").trim() };
}

/**
 * The hosts of this machine and of private networks that rules spell, with ports: `localhost:3000`. A name on the internet is not
 * among them: its owner may point it anywhere.
 */
function openedHosts(permission: Pick<Permission, "rules" | "limits">): string[] {
  const wanted = permission.rules.flatMap(({ rule }): WantedHost[] => {
    const { reach } = parseRule(rule) ?? {};
    if (reach === undefined || reach === "*" || reach.isBelow) return [];
    const host = reach.host.replace(/^\[|\]$/g, "");
    const names = ofMachine(host) === "localhost" ? ["localhost", "127.0.0.1", "::1"] : [host];
    const ports = reach.port === undefined ? [80, 443] : [reach.port];
    return names.flatMap((name) => ports.map((port) => ({ host: name, port })));
  });
  const isNear = ({ host }: WantedHost) => isIP(host) !== 0 || isPrivateName(host, hostname());
  const isOpen = (one: WantedHost) => {
    const found = hostRuleFor(one, permission);
    return found?.verdict === "allow" && found.isSpelled;
  };
  const texts = wanted
    .filter((one) => isNear(one) && isOpen(one))
    .map(({ host, port }) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  return [...new Set(texts)];
}

/** The host that `hostText` names; `undefined` for other texts. */
export function readHostText(text: string): WantedHost | undefined {
  const { reach } = parseRule(`host(${text})`) ?? {};
  if (reach === undefined || reach === "*" || reach.isBelow) return undefined;
  return { host: reach.host.replace(/^\[|\]$/g, ""), port: reach.port ?? 443 };
}
