import { join, resolve, sep } from "node:path";
import { sharedSkillPlaces } from "@ikigai/core/internal";
import { decisiveFileAt, gitPlacesNamed, type PathRule, pathJudge, ruledPlaces } from "@ikigai/sandbox";
import { isInside, userHome } from "@ikigai/system";
import type { CallFacts } from "./call-facts.ts";
import { changesFile, isSearchAccess } from "./declared-access.ts";
import { foldName } from "./fold-name.ts";
import { pathPattern } from "./parse-rule.ts";
import type { Permission, PermissionRule } from "./permission.ts";
import { realTarget } from "./real-target.ts";

/*
 * What rules about places, `path(PATTERN)`, say about a call, and which places need a question without a rule. Rules about places come
 * before rules about tools. They hold the tools that name a file or search; commands and other tools are held by the sandbox, which
 * hides what is denied.
 */

/** The rules about places among others. One that allows has no effect. */
export function pathRulesIn(rules: readonly PermissionRule[]): PathRule[] {
  return rules.flatMap(({ verdict, rule }) => {
    const pattern = pathPattern(rule);
    if (pattern === undefined || verdict === "allow") return [];
    return [{ verdict: verdict === "ask" ? verdict : "deny", pattern }];
  });
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
  const base = { project: realTarget(".", projectDir) ?? projectDir, userHome: realTarget(user, sep) ?? user };
  const judge = pathJudge(rules, base);
  if (filePath) {
    if (filePath.real === undefined) return "ask";
    const verdicts = [filePath.real, resolve(base.project, filePath.asWritten)].map(judge);
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
export function protectionOf(realPath: string, { home, projectDir }: Pick<Permission, "home" | "projectDir">) {
  const folded = foldName(realPath);
  const isIn = (place: string) => isInside(folded, foldName(realTarget(place, sep) ?? place));
  if ([home, ...userSkillPlaces()].some(isIn))
    return "it writes to a protected directory: files there determine what runs";
  const user = userHome();
  const project = realTarget(".", projectDir) ?? projectDir;
  const scope = { path: folded, project: foldName(project), userHome: user && foldName(realTarget(user, sep) ?? user) };
  const row = decisiveFileAt(scope);
  if (row) return `it writes to ${row.path}, which determines what runs: ${row.why}`;
  return gitPlacesNamed(project, user ?? sep, process.env).some(isIn)
    ? "it writes to a place that git's configuration names, which determines what runs"
    : undefined;
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
