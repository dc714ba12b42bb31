import { sep } from "node:path";
import type { CallFacts } from "./call-facts.ts";
import { namesTool, parseRule, type RuleParts } from "./parse-rule.ts";
import type { Permission, PermissionRule, Verdict } from "./permission.ts";
import { realTarget } from "./real-target.ts";
import { toCommandRule } from "./shell/command-rule.ts";
import { type CommandVerdict, commandVerdict } from "./shell/command-verdict.ts";
import { exactly, matchesWildcard, toWildcard } from "./wildcard.ts";

/**
 * What the first rule that matches says; `undefined` when none does. Nobody knows what a deny or ask rule forbids that does not
 * parse, or that speaks of a path or a command where the tool declares neither.
 */
export function ruleVerdict(facts: CallFacts, permission: Permission): CommandVerdict {
  const verdict = verdictOfParsed(facts, permission);
  if (verdict === "deny" || verdict === "ask") return verdict;
  const isUnclear = permission.rules.some((one) => one.verdict !== "allow" && !canBeJudged(facts, one));
  return isUnclear ? "unclear" : verdict;
}

function canBeJudged({ tool, command, filePath }: CallFacts, { rule }: PermissionRule): boolean {
  const parts = parseRule(rule);
  if (parts === undefined) return false;
  if (parts.pattern === undefined || command !== undefined || filePath || !namesTool(parts, tool.name)) return true;
  return couldMatchJson(parts.pattern);
}

/** Whether some call's arguments, which are an object as JSON, could match. */
function couldMatchJson(pattern: string): boolean {
  const { pieces } = toWildcard(pattern);
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return first.startsWith("{") && first.endsWith("}");
  return (first === "" || first.startsWith("{")) && (last === "" || last.endsWith("}"));
}

function verdictOfParsed(facts: CallFacts, permission: Permission): CommandVerdict {
  const parsed = permission.rules.flatMap((rule) => parsedFor(facts.tool.name, rule));
  if (facts.command !== undefined) {
    const rules = parsed.map(({ verdict, pattern }) => toCommandRule(verdict, pattern));
    const readsFreely = permission.mode !== "deny" && readsUnasked(facts, permission);
    if (facts.declared.by === "system") {
      return commandVerdict(facts.command, facts.commands, rules, { permission, readsFreely });
    }
    const strict = rules.filter(({ verdict }) => verdict !== "allow");
    const refused = commandVerdict(facts.command, facts.commands, strict, { permission, readsFreely: false });
    if (refused) return refused;
  }
  const { projectDir } = permission;
  return parsed.find(({ verdict, pattern }) => matchesCall(facts, pattern, verdict, projectDir))?.verdict;
}

/** Whether commands of a tool that only read need no question: those of the system's bash on this machine. */
export function readsUnasked({ tool }: CallFacts, { readOnlyCommands }: Permission): boolean {
  return readOnlyCommands !== false && tool.scope === "system" && !tool.launcher;
}

type ParsedRule = RuleParts & { readonly verdict: Verdict };

function parsedFor(name: string, { verdict, rule }: PermissionRule): ParsedRule[] {
  const parts = parseRule(rule);
  return parts && namesTool(parts, name) ? [{ ...parts, verdict }] : [];
}

function matchesCall(facts: CallFacts, pattern: string | undefined, verdict: Verdict, projectDir: string): boolean {
  if (pattern === undefined) return true;
  const { declared, filePath, json } = facts;
  // What the tool alone says may be a reason not to run it, and never one to run it.
  if (declared.by !== "system" && (verdict === "allow" || matchesWildcard(pattern, json))) {
    return matchesWildcard(pattern, json);
  }
  if (!filePath) return matchesWildcard(pattern, json);
  const asWritten = verdict !== "allow" && matchesWildcard(pattern, filePath.asWritten);
  return asWritten || (filePath.real !== undefined && matchesWildcard(absolute(pattern, projectDir), filePath.real));
}

/** A pattern of a path, from the root: relative ones begin in the project. Links before the first star are resolved. */
function absolute(pattern: string, projectDir: string): string {
  const star = pattern.indexOf("*");
  const fixed = star < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf(sep, star) + 1);
  const real = realTarget(fixed || ".", projectDir);
  if (real === undefined) return pattern;
  if (star < 0) return exactly(real);
  return `${real === sep ? "" : exactly(real)}${sep}${pattern.slice(fixed.length)}`;
}
