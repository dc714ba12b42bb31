import { sep } from "node:path";
import type { CallFacts } from "./call-facts.ts";
import { parseRule, type RuleParts } from "./parse-rule.ts";
import type { Permission, PermissionRule, Verdict } from "./permission.ts";
import { realTarget } from "./real-target.ts";
import { possibleCommands, shellParts } from "./shell-parts.ts";
import { exactly, hasWildcard, matchesWildcard } from "./wildcard.ts";

/** What the first rule that matches says; `undefined` when none does. */
export function ruleVerdict(facts: CallFacts, { rules, projectDir }: Permission): Verdict | undefined {
  const parsed = rules.flatMap((rule) => parsedFor(facts.tool.name, rule));
  if (facts.command !== undefined) return commandVerdict(facts.command, parsed);
  return parsed.find(({ verdict, pattern }) => matchesCall(facts, pattern, verdict, projectDir))?.verdict;
}

type ParsedRule = RuleParts & { readonly verdict: Verdict };

function parsedFor(name: string, { verdict, rule }: PermissionRule): ParsedRule[] {
  const parts = parseRule(rule);
  return parts && (parts.tool === name || parts.tool === "*") ? [{ ...parts, verdict }] : [];
}

/**
 * A command with several parts is allowed when each of them is; the first rule that matches a part decides about it. A
 * command that cannot be taken apart for certain is allowed only by a rule without pattern, or one that is the command to
 * the letter. A rule that asks or denies matches whatever looks like its command, anywhere.
 */
function commandVerdict(command: string, rules: readonly ParsedRule[]): Verdict | undefined {
  const known = shellParts(command) ?? [];
  const parts = known.length > 0 ? known : [command, ...possibleCommands(command)];
  const verdicts = parts.map((part) => {
    const rule = rules.find((one) => {
      if (matchesWhole(one, command)) return true;
      if (one.verdict === "allow") return known.length > 0 && matchesCommand(one, part);
      return [command, part, ...possibleCommands(part)].some((text) => matchesCommand(one, text));
    });
    return rule?.verdict;
  });
  if (verdicts.includes("deny")) return "deny";
  if (verdicts.includes("ask")) return "ask";
  return verdicts.every((verdict) => verdict === "allow") ? "allow" : undefined;
}

function matchesWhole({ pattern, verdict }: ParsedRule, command: string): boolean {
  if (pattern === undefined || pattern.trim() === "*") return true;
  return verdict === "allow" && !hasWildcard(pattern) && matchesWildcard(pattern.trim(), command);
}

/** `git log *` is also `git log` alone. */
function matchesCommand({ pattern = "*" }: ParsedRule, text: string): boolean {
  const wanted = pattern.trim();
  return matchesWildcard(wanted, text) || (wanted.endsWith(" *") && matchesWildcard(wanted.slice(0, -2), text));
}

function matchesCall(facts: CallFacts, pattern: string | undefined, verdict: Verdict, projectDir: string): boolean {
  if (pattern === undefined) return true;
  const { filePath, json } = facts;
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
