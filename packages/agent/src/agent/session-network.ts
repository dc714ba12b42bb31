import type { SandboxSettings } from "@ikigai/core";
import { type NetworkOptions, type SessionNetwork, sessionNetwork } from "@ikigai/core/internal";
import type { ToolRules } from "../config/tool-settings.ts";
import { parseRule } from "../permission/parse-rule.ts";
import { isVerdict, type Permission, type Verdict } from "../permission/permission.ts";

/*
 * The network of a conversation's sandboxes, whose door asks the rules about hosts: `host(example.com)`, first match first, like rules
 * about calls. What no rule allows is refused. Tools with `network` use the machine's own network instead.
 */

/** A conversation's network, and the rules for its tools, which join it. */
export interface NetworkOfSession {
  readonly network: SessionNetwork;
  readonly rules: ToolRules;
}

/** Opens the network. Nothing starts before the first call that can use it. */
export function openNetwork(
  rules: ToolRules,
  permission: Pick<Permission, "rules">,
  { env, allowAdvice }: { readonly env: NodeJS.ProcessEnv; readonly allowAdvice?: (rule: string) => string },
): NetworkOfSession {
  const network = sessionNetwork({
    env,
    localPorts: () => localPorts(permission),
    ruleFor: (target) => hostRuleFor(target, permission),
    ...(allowAdvice && { advice: allowAdvice }),
  });
  const joined = (sandbox: SandboxSettings | undefined) => sandbox && { ...sandbox, door: network };
  return {
    network,
    rules: {
      ...rules,
      settingsFor: (name) => {
        const settings = rules.settingsFor(name);
        return { ...settings, sandbox: joined(settings.sandbox) };
      },
      sandboxFor: (name) => joined(rules.sandboxFor(name)),
      sandbox: joined(rules.sandbox),
    },
  };
}

type HostRule = ReturnType<NetworkOptions["ruleFor"]>;

/** The first rule about a host. Without a port, one that allows is about those of http and https, and any other about all. */
export function hostRuleFor(
  { host, port }: { readonly host: string; readonly port: number },
  { rules }: Pick<Permission, "rules">,
): HostRule {
  for (const { verdict: written, rule } of rules) {
    const { reach } = parseRule(rule) ?? {};
    if (reach === undefined) continue;
    // An unknown verdict denies: the user has not allowed it.
    const verdict: Verdict = isVerdict(written) ? written : "deny";
    const { port: own, host: name, isBelow } = reach === "*" ? { host: "", isBelow: true } : reach;
    const isPort = own === undefined ? verdict !== "allow" || port === 80 || port === 443 : port === own;
    const isHost = reach === "*" || (isBelow ? host.endsWith(`.${name}`) : host === name.replace(/^\[|\]$/g, ""));
    if (isPort && isHost) return { verdict, isSpelled: reach !== "*" && !isBelow };
  }
  return undefined;
}

/** The ports of this machine that rules open. */
function localPorts({ rules }: Pick<Permission, "rules">): number[] {
  return rules.flatMap(({ verdict, rule }) => {
    const { reach } = parseRule(rule) ?? {};
    if (verdict !== "allow" || reach === undefined || reach === "*") return [];
    return reach.host === "localhost" && reach.port !== undefined ? [reach.port] : [];
  });
}
