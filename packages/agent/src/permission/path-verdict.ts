import { resolve, sep } from "node:path";
import { type PathRule, pathJudge, ruledPlaces } from "@ikigai/core/internal";
import { isInside, userHome } from "@ikigai/system";
import type { CallFacts } from "./call-facts.ts";
import { changesFile, isSearchAccess } from "./declared-access.ts";
import { pathPattern } from "./parse-rule.ts";
import type { Permission, PermissionRule } from "./permission.ts";
import { realTarget } from "./real-target.ts";

/*
 * What rules about places, `path(PATTERN)`, say about a call. They come before rules about tools. They hold the tools that name a file
 * or search; commands and other tools are held by the sandbox, which hides what is denied.
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
