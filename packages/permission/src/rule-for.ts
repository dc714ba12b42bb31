import { relative, sep } from "node:path";
import { isInside } from "@ikigai/system";
import type { CallFacts } from "./call-facts.ts";
import { isSearchAccess } from "./declared-access.ts";
import { domainOf } from "./domain/domain-rule.ts";
import { isDoubtfulUrl } from "./domain/plain-url.ts";
import { missingArgument } from "./missing-argument.ts";
import { outsideRule } from "./parse-rule.ts";
import { realTarget } from "./real-target.ts";
import { exactly } from "./wildcard.ts";

/**
 * Returns the rule that would allow a call next time: the same host, the same command, the same file, the same search; for a
 * tool that declares nothing, any call. `undefined` for an address in which programs may find different hosts: no rule about
 * its host would allow the call, and a user who expects one must not allow all hosts. `undefined` also for a call that lacks an
 * argument, and for a path that leads nowhere, or elsewhere in another process.
 */
export function ruleFor(facts: CallFacts, projectDir: string): string | undefined {
  const rule = ruleInside(facts, projectDir);
  return rule === undefined || facts.outside === undefined ? rule : outsideRule(rule);
}

function ruleInside(facts: CallFacts, projectDir: string): string | undefined {
  const { tool, declared, args, command, filePath, url, json } = facts;
  if (missingArgument(facts) !== undefined) return undefined;
  if (command === undefined && !filePath) {
    if (url) return `${tool.name}(${domainOf(url)})`;
    if (typeof args.url === "string" && isDoubtfulUrl(args.url)) return undefined;
  }
  // A rule based on the tool's own declaration would not match.
  if (declared.by !== "system") return tool.name;
  if (command !== undefined) return `${tool.name}(${exactly(command)})`;
  if (filePath?.real !== undefined) return `${tool.name}(${exactly(shortest(filePath.real, projectDir))})`;
  if (isSearchAccess(declared.access)) return `${tool.name}(${exactly(json)})`;
  return filePath ? undefined : tool.name;
}

function shortest(real: string, projectDir: string): string {
  const project = realTarget(".", projectDir);
  if (project === undefined || project === sep || !isInside(real, project)) return real;
  const path = relative(project, real);
  // A pattern cannot begin with whitespace.
  return /^\s/.test(path) ? real : path;
}
