import type { RegisteredTool } from "@ikigai/core";
import { argumentsOf, factsOf } from "./call-facts.ts";
import { decide } from "./decide.ts";
import { haveCommonHosts } from "./domain/domain-rule.ts";
import { readUrl } from "./domain/plain-url.ts";
import { parseRule } from "./parse-rule.ts";
import type { PendingCall, Permission, PermissionRule } from "./permission.ts";
import { ruleVerdict } from "./rule-match.ts";
import { overlaps } from "./wildcard.ts";

/**
 * Says why ikigai will ask about a call again although the user has added a rule that allows: no allow rule covers it, or
 * another rule still asks. `undefined` if it will not ask.
 */
export function whyStillAsked(
  { call, tool }: { readonly call: PendingCall; readonly tool: RegisteredTool },
  permission: Permission,
  added: PermissionRule,
): string | undefined {
  const again = withPlainUrl(call);
  const asks = (rules: PermissionRule[]) => decide(again, tool, { ...permission, rules }).verdict === "ask";
  if (!asks(permission.rules)) return undefined;
  if (asks(permission.rules.filter(({ verdict }) => verdict === "allow"))) {
    return `\`${added.verdict} ${added.rule}\` does not cover this call, so ikigai will ask about it again.`;
  }
  const facts = factsOf(again, tool, permission);
  const applies = (rule: PermissionRule) =>
    rule.verdict !== "allow" && ruleVerdict(facts, { ...permission, rules: [rule] }) !== undefined;
  const above = rulesAbove(permission, added).find(applies);
  const asking = above ?? permission.rules.find(applies);
  if (!asking) return undefined;
  const name = `\`${asking.verdict} ${asking.rule}\``;
  const why = asking.verdict === "ask" && above ? "still asks" : "might apply to this call, so ikigai still asks";
  return above ? `Added below ${name}, which ${why}.` : `${name} ${why}.`;
}

/** The same call the next time: its address is then in the form in which a rule about its host allows it. */
function withPlainUrl(call: PendingCall): PendingCall {
  const value = argumentsOf(call);
  const href = typeof value.url === "string" ? readUrl(value.url)?.href : undefined;
  return href === undefined ? call : { ...call, value: { ...value, url: href } };
}

/**
 * Returns a stricter rule above `added` that decides some of the calls that `added` covers: the first `ask` rule, else the
 * first `deny` rule, else `undefined`.
 */
export function stricterRule(permission: Pick<Permission, "rules">, added: PermissionRule): PermissionRule | undefined {
  if (added.verdict === "deny") return undefined;
  const above = rulesAbove(permission, added).filter(({ rule }) => haveCommonCalls(rule, added.rule));
  const asks = above.find(({ verdict }) => verdict === "ask" && verdict !== added.verdict);
  return asks ?? above.find(({ verdict }) => verdict === "deny");
}

function rulesAbove({ rules }: Pick<Permission, "rules">, added: PermissionRule): readonly PermissionRule[] {
  return rules.slice(0, Math.max(0, rules.indexOf(added)));
}

function haveCommonCalls(one: string, other: string): boolean {
  const [first, second] = [parseRule(one), parseRule(other)];
  if (!first || !second) return false;
  if (!overlaps(first.tool, second.tool)) return false;
  if (first.domain && second.domain) return haveCommonHosts(first.domain, second.domain);
  // Which addresses a pattern for the arguments matches is not known.
  if (first.domain || second.domain) return true;
  return overlaps(first.pattern ?? "*", second.pattern ?? "*");
}
