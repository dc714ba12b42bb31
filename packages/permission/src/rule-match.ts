import { isAbsolute, join, sep } from "node:path";
import { isInside } from "@ikigai/system";
import type { CallFacts } from "./call-facts.ts";
import { coversHost, type Domain, takesUrl } from "./domain/domain-rule.ts";
import { hasParameter } from "./missing-argument.ts";
import { namesTool, parseRule, type RuleParts } from "./parse-rule.ts";
import { isVerdict, type Permission, type PermissionRule, type Verdict } from "./permission.ts";
import { realTarget } from "./real-target.ts";
import { toCommandRule } from "./shell/command-rule.ts";
import { type CommandVerdict, commandVerdict } from "./shell/command-verdict.ts";
import { hasMoreParents } from "./shell/star-limits.ts";
import { exactly, matchesWildcard, toWildcard } from "./wildcard.ts";

/**
 * Returns the verdict of the first matching rule; `undefined` without one. `unclear` if a deny or ask rule does not parse,
 * names a path or command where the tool declares neither, or a host where the call has no address that can be read.
 *
 * @param isHeld whether the call runs in the sandbox, which holds commands that cannot be read.
 */
export function ruleVerdict(facts: CallFacts, permission: Permission, isHeld = false): CommandVerdict {
  const verdict = verdictOfParsed(facts, permission, isHeld);
  if (verdict === "deny" || verdict === "ask") return verdict;
  const isUnclear = permission.rules.some((one) => one.verdict !== "allow" && !canBeJudged(facts, one));
  return isUnclear ? "unclear" : verdict;
}

function canBeJudged({ tool, command, filePath, url, outside }: CallFacts, { rule }: PermissionRule): boolean {
  const parts = parseRule(rule);
  if (parts === undefined) return false;
  if (parts.pattern === undefined || !namesTool(parts, tool.name)) return true;
  if (parts.isOutside && outside === undefined) return true;
  if (parts.domain) return url !== undefined || (parts.tool === "*" && !takesUrl(tool));
  return command !== undefined || filePath !== undefined || couldMatchJson(parts.pattern);
}

/** Whether the JSON of any call's arguments, which are an object, could match. */
function couldMatchJson(pattern: string): boolean {
  const { pieces } = toWildcard(pattern);
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return first.startsWith("{") && first.endsWith("}");
  return (first === "" || first.startsWith("{")) && (last === "" || last.endsWith("}"));
}

function verdictOfParsed(facts: CallFacts, permission: Permission, isHeld: boolean): CommandVerdict {
  const parsed = permission.rules
    .flatMap((rule) => parsedFor(facts.tool.name, rule))
    .filter((one) => concernsPlace(one, facts));
  if (facts.command !== undefined) {
    const rules = parsed.map(({ verdict, pattern }) => toCommandRule(verdict, pattern));
    const readsFreely = permission.mode !== "deny" && readsUnasked(facts, permission);
    if (facts.declared.by === "system") {
      return commandVerdict(facts.command, facts.commands, rules, { permission, readsFreely, isHeld });
    }
    const strict = rules.filter(({ verdict }) => verdict !== "allow");
    const refused = commandVerdict(facts.command, facts.commands, strict, { permission, readsFreely: false, isHeld });
    if (refused) return refused;
  }
  const { projectDir } = permission;
  return parsed.find((rule) =>
    rule.domain
      ? matchesHost(facts, rule.domain, rule.verdict)
      : matchesCall(facts, rule.pattern, rule.verdict, projectDir),
  )?.verdict;
}

/**
 * Whether read-only commands of a call need no question: those of the system's bash on this machine, with no other argument that
 * could change what the command does.
 */
export function readsUnasked(facts: CallFacts, { readOnlyCommands }: Permission): boolean {
  const { tool } = facts;
  return readOnlyCommands !== false && tool.scope === "system" && !tool.launcher && hasOnlyJudgedArguments(facts);
}

/** Whether every argument of a command's call that the tool knows has been looked at. */
function hasOnlyJudgedArguments({ args, declared: { access }, tool }: CallFacts): boolean {
  const command = access?.kind === "run-command" ? access.command : undefined;
  const isJudged = (name: string) =>
    name === command || name === "timeout_ms" || (name === "background" && args[name] === false);
  return Object.keys(args).every((name) => isJudged(name) || !hasParameter(tool, name));
}

/** A rule about leaving the sandbox is only about calls that ask to. One that allows must be about it for these. */
function concernsPlace({ verdict, isOutside }: ParsedRule, { outside }: CallFacts): boolean {
  return outside === undefined ? !isOutside : isOutside === true || verdict !== "allow";
}

type ParsedRule = RuleParts & { readonly verdict: Verdict };

/** An unknown verdict denies: the user has not allowed the call. */
function parsedFor(name: string, { verdict, rule }: PermissionRule): ParsedRule[] {
  const parts = parseRule(rule);
  return parts && namesTool(parts, name) ? [{ ...parts, verdict: isVerdict(verdict) ? verdict : "deny" }] : [];
}

/** Whether a rule about hosts matches. One that allows does so only if the tool gets the address in the one spelling. */
function matchesHost({ args, url }: CallFacts, domain: Domain, verdict: Verdict): boolean {
  const isAllowing = verdict === "allow";
  return url !== undefined && (!isAllowing || args.url === url.href) && coversHost(domain, url, isAllowing);
}

function matchesCall(facts: CallFacts, pattern: string | undefined, verdict: Verdict, projectDir: string): boolean {
  if (pattern === undefined) return true;
  const { args, declared, filePath, json } = facts;
  const matchesJson = matchesWildcard(pattern, json) && (verdict !== "allow" || !hasMoreParents(pattern, args));
  // A tool's own declaration may be a reason to deny it, but never to allow it.
  if (!filePath || (declared.by !== "system" && (verdict === "allow" || matchesJson))) return matchesJson;
  const asWritten = verdict !== "allow" && matchesWildcard(pattern, filePath.asWritten);
  if (asWritten || filePath.real === undefined) return asWritten;
  if (!matchesWildcard(absolute(pattern, projectDir), filePath.real)) return false;
  return verdict !== "allow" || staysAsWritten(pattern, filePath.real, projectDir);
}

/**
 * Whether a file is where a pattern says: in the project, or in a place outside that the pattern itself names. A symlink of the
 * project must not lead a rule elsewhere, neither out of the project nor to other files in it.
 */
function staysAsWritten(pattern: string, real: string, projectDir: string): boolean {
  const project = realTarget(".", projectDir);
  if (project === undefined) return false;
  let isLed = false;
  realTarget(fixedPart(pattern), projectDir, (link) => {
    isLed ||= isInside(link, project);
  });
  if (isLed) return false;
  return isAbsolute(pattern) || isInside(real, project) || matchesWildcard(join(exactly(project), pattern), real);
}

/** What of a path pattern is a path: all of it, or the directories before the first star. */
function fixedPart(pattern: string): string {
  const star = pattern.indexOf("*");
  return star < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf(sep, star) + 1);
}

/** Makes a path pattern absolute: relative ones start in the project. Resolves symlinks before the first star. */
function absolute(pattern: string, projectDir: string): string {
  const fixed = fixedPart(pattern);
  const real = realTarget(fixed || ".", projectDir);
  if (real === undefined) return pattern;
  if (fixed === pattern) return exactly(real);
  return `${real === sep ? "" : exactly(real)}${sep}${pattern.slice(fixed.length)}`;
}
