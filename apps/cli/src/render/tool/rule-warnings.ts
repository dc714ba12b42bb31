// Warnings about rules of permission that probably do not do what they are meant to: unknown tools, patterns that match nothing. Loaded only if
// there are rules.

import { homedir } from "node:os";
import { ConfigError } from "@ikigai/agent";
import { problemOfRule } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { toolMeant } from "@ikigai/core/hooks";
import { namesTool, parseRule, type RuleParts, takesUrl } from "@ikigai/permission";
import { sanitiseLine } from "@ikigai/screen";
import { UsageError } from "../../args/usage-error.ts";
import type { Agent } from "../../host/conversation/agent-from-flags.ts";
import { nearestName } from "../../host/conversation/command-tools.ts";

/** A rule, and what is printed before it. */
export interface LabelledRule {
  readonly label: string;
  readonly rule: string;
}

/**
 * Says which rules name no tool, and which have a pattern that matches nothing, one per line. Only warnings: the tool may be added
 * while ikigai runs.
 *
 * @param howToList says how to list the tools.
 */
export function ruleWarnings(
  rules: readonly LabelledRule[],
  registry: Registry,
  howToList = "To list the tools: ikigai tool list",
): string[] {
  return rules.flatMap(({ label, rule }) => {
    const parts = parseRule(rule);
    if (!parts) return [];
    const unknown = unknownTool(parts, registry);
    const warnings = [
      ...(unknown ? [`${unknown.message} ${howToList}`] : []),
      ...[homePattern(parts, registry), hostPattern(parts, registry)],
    ];
    return warnings
      .filter((warning) => warning !== undefined)
      .map((warning) => sanitiseLine(`${label} ${rule}: ${warning}`));
  });
}

/** A rule that names no tool. */
interface UnknownTool {
  readonly message: string;
  /** The tool that is probably meant. */
  readonly nearest: string | undefined;
}

function unknownTool(parts: RuleParts, registry: Registry): UnknownTool | undefined {
  // A rule about places is about no tool.
  if (parts.tool === "path") return undefined;
  const known = [...registry.tools, ...registry.failed];
  if (parts.reach !== undefined) return undefined;
  if (known.some(({ name }) => namesTool(parts, name))) return undefined;
  const meant = toolMeant(parts.tool);
  const nearest = known.some(({ name }) => name === meant) ? meant : nearestName(registry, parts.tool);
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const isPattern = parts.tool.endsWith("*");
  const what = isPattern ? `no tool's name begins with ${parts.tool.slice(0, -1)}` : `no tool is called ${parts.tool}`;
  return { message: `${what}.${advice}`, nearest };
}

/**
 * Refuses to start with a rule whose tool is misspelled: it would be without effect, silently. A tool that is no slip may be another
 * project's, or that of an MCP server that is not in use today; those are reported.
 *
 * @throws UsageError, or ConfigError for a rule of the configuration.
 */
export function refuseSlips(
  { allowed, permission, places }: Pick<Agent, "allowed" | "permission" | "places">,
  registry: Registry,
): void {
  const slipIn = (rule: string): string | undefined => {
    const parts = parseRule(rule);
    const unknown = parts && !parts.tool.startsWith("mcp__") ? unknownTool(parts, registry) : undefined;
    return unknown?.nearest === undefined ? undefined : `${JSON.stringify(rule)}: ${unknown.message}`;
  };
  for (const rule of allowed) {
    const slip = slipIn(rule);
    if (slip !== undefined) throw new UsageError(`--allow ${slip} To list the tools: ikigai tool list`);
  }
  // The rules of the command line come first.
  const problems = permission.rules.slice(allowed.length).flatMap((rule) => {
    const slip = slipIn(rule.rule);
    return slip === undefined ? [] : [problemOfRule(places, rule, slip)];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** In a path, `~` is a name like any other: a rule with it would miss the files that it means. */
function homePattern({ tool, pattern = "" }: RuleParts, { tools }: Registry): string | undefined {
  const isCommand = ({ schema }: RegisteredTool) => schema.ikigai?.access?.kind === "run-command";
  const named = tools.filter(({ name }) => namesTool({ tool }, name));
  if (!/^(?:~|\$HOME)\//.test(pattern) || named.length === 0 || named.every(isCommand)) return undefined;
  const start = pattern.slice(0, pattern.indexOf("/"));
  return `"${start}" is not expanded in a path. Write the whole path: ${tool}(${homedir()}${pattern.slice(start.length)})`;
}

/** A host is that of a call's `url`. */
function hostPattern(parts: RuleParts, { tools }: Registry): string | undefined {
  const named = tools.filter(({ name }) => namesTool(parts, name));
  if (!parts.domain || named.length === 0 || named.some(takesUrl)) return undefined;
  const which = named.length === 1 ? `${parts.tool} has` : "its tools have";
  return `${which} no parameter "url". The rule allows nothing; if it denies or asks, ikigai asks about every call.`;
}
