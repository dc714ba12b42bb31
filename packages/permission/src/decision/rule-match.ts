// What rules say about a call: those about its tool and the host of its page, and those about places, `path(.env*)`; and which places need
// a question without a rule. The first rule that matches decides. Rules about
// places come before those about tools, and hold the tools that name a file or search; the sandbox hides what they deny from the others.

import { isAbsolute, join, resolve, sep } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { sharedSkillPlaces } from "@ikigai/core/trust";
import { hostText } from "@ikigai/http";
import type { JsonObject } from "@ikigai/protocol";
import { decisiveFileAt, gitPlacesNamed, type PathRule, pathJudge, ruledPlaces } from "@ikigai/sandbox";
import { isInside, userHome } from "@ikigai/system";
import { isVerdict, type Permission, type PermissionRule, type Verdict } from "../permission.ts";
import type { WantedHost } from "../rules/host-rules.ts";
import { namesTool, parseRule, pathPattern, type RuleParts } from "../rules/rules.ts";
import { exactly, matchesWildcard, toWildcard } from "../rules/wildcard.ts";
import { type CommandVerdict, commandVerdict, toCommandRule } from "../shell/commands.ts";
import { hasMoreParents } from "../shell/programs.ts";
import { changesFile, foldName, isSearchAccess, type ProjectScope, projectsOf, realTarget } from "../targets/paths.ts";
import { coversHost, type Domain, readUrl, takesUrl, twinOf } from "../targets/urls.ts";
import { type CallFacts, hasParameter } from "./call-facts.ts";

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
  const { projectDir, directories = [] } = permission;
  return parsed.find((rule) =>
    rule.domain
      ? matchesHost(facts, rule.domain, rule.verdict)
      : [projectDir, ...directories].some((project) => matchesCall(facts, rule.pattern, rule.verdict, project)),
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
  const { args, declared, filePath, argumentsText } = facts;
  const matchesText =
    matchesWildcard(pattern, argumentsText) && (verdict !== "allow" || !hasMoreParents(pattern, args));
  // A tool's own declaration may be a reason to deny it, but never to allow it.
  if (!filePath || (declared.by !== "system" && (verdict === "allow" || matchesText))) return matchesText;
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

/** The rules about places among others. One that allows has no effect. */
export function pathRulesIn(rules: readonly PermissionRule[]): PathRule[] {
  return rules.flatMap(({ verdict, rule }) => {
    const pattern = pathPattern(rule);
    if (pattern === undefined || verdict === "allow") return [];
    return [{ verdict: verdict === "ask" ? verdict : "deny", pattern }];
  });
}

/** Whether there are rules about places. */
export function hasPathRules({ rules }: Permission): boolean {
  return pathRulesIn(rules).length > 0;
}

/** Returns what the rules about places say about a call of a tool that names a file, or searches. */
export function pathVerdict(
  facts: CallFacts,
  permission: Permission,
  isHeld: boolean,
): PathRule["verdict"] | undefined {
  const rules = pathRulesIn(permission.rules);
  if (rules.length === 0) return undefined;
  const { filePath, args, declared } = facts;
  const { access } = declared;
  const { projectDir } = permission;
  const user = userHome() ?? sep;
  const project = realTarget(".", projectDir) ?? projectDir;
  const projects = [project, ...(permission.directories ?? [])];
  const base = { projects, userHome: realTarget(user, sep) ?? user };
  const judge = pathJudge(rules, base);
  if (filePath) {
    if (filePath.real === undefined) return "ask";
    const verdicts = [filePath.real, resolve(permission.cwd ?? project, filePath.asWritten)].map(judge);
    if (verdicts.includes("deny")) return "deny";
    return changesFile(access) && verdicts.includes("ask") ? "ask" : undefined;
  }
  if (!isSearchAccess(access) || !rules.some(({ verdict }) => verdict === "deny")) return undefined;
  const named = args[access.path];
  const place = realTarget(typeof named === "string" && named !== "" ? named : ".", projectDir);
  if (place === undefined) return "ask";
  if (judge(place) === "deny") return "deny";
  // The sandbox hides what is denied.
  if (isHeld) return undefined;
  try {
    return ruledPlaces(rules, base).deny.some((path) => isInside(path, place)) ? "ask" : undefined;
  } catch {
    // Too many files to look through.
    return "ask";
  }
}

/** Matches `.ikigai`, `.git`, and settings that make git run programs, but not `https://host/project.git`. */
const mentionPattern = /\.ikigai|ikigai_home|(?:^|[\s/"'=:(])\.git(?:[\s/"';)]|$)|core\.(?:hookspath|fsmonitor)/;

/**
 * Returns why writing to a real path always needs a question: it is in the user's directory, among the user's skills, whose scripts are
 * tools, or decides what runs.
 */
export function protectionOf(realPath: string, { home, ...scope }: ProjectScope) {
  const folded = foldName(realPath);
  const isIn = (place: string) => isInside(folded, foldName(realTarget(place, sep) ?? place));
  if ([home, ...userSkillPlaces()].some(isIn))
    return "it writes to a protected directory: files there determine what runs";
  const user = userHome();
  const named = user && foldName(realTarget(user, sep) ?? user);
  for (const project of projectsOf(scope)) {
    const row = decisiveFileAt({ path: folded, project: foldName(project), userHome: named });
    if (row) return `it writes to ${row.path}, which determines what runs: ${row.why}`;
    if (gitPlacesNamed(project, user ?? sep, process.env).some(isIn))
      return "it writes to a place that git's configuration names, which determines what runs";
  }
  return undefined;
}

/** Where the user's skills are besides the user's directory. */
function userSkillPlaces(): readonly string[] {
  const user = userHome();
  return user === undefined ? [] : sharedSkillPlaces.map((place) => join(user, place));
}

/** Whether a command, or the arguments of a tool, name a protected place. */
export function mentionsProtected(text: string, home: string): boolean {
  const folded = foldName(text);
  return mentionPattern.test(folded) || folded.includes(foldName(home));
}
