import { homedir } from "node:os";
import { namesTool, parseRule, type RuleParts, takesUrl } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { nearestName, toolMeant } from "@ikigai/core/internal";
import { sanitiseLine } from "./sanitise.ts";

/**
 * Says which rules name no tool, and which have a pattern that means something else in Claude Code, one per line. Only warnings: the
 * tool may be added while ikigai runs, and the pattern may be meant.
 *
 * @param label printed before each rule.
 * @param howToList says how to list the tools.
 */
export function ruleWarnings(
  rules: readonly string[],
  registry: Registry,
  { label = "--allow", howToList = "To list the tools: ikigai tool list" } = {},
): string[] {
  return rules.flatMap((rule) => {
    const parts = parseRule(rule);
    if (!parts) return [];
    const warnings = [
      ...[unknownTool(parts, registry, howToList), otherPattern(parts, registry)],
      ...[homePattern(parts, registry), hostPattern(parts, registry)],
    ];
    return warnings
      .filter((warning) => warning !== undefined)
      .map((warning) => sanitiseLine(`${label} ${rule}: ${warning}`));
  });
}

function unknownTool(parts: RuleParts, registry: Registry, howToList: string): string | undefined {
  const known = [...registry.tools, ...registry.failed];
  if (known.some(({ name }) => namesTool(parts, name))) return undefined;
  const meant = toolMeant(parts.tool);
  const nearest = known.some(({ name }) => name === meant) ? meant : nearestName(registry, parts.tool);
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const isPattern = parts.tool.endsWith("*");
  const what = isPattern ? `no tool's name begins with ${parts.tool.slice(0, -1)}` : `no tool is called ${parts.tool}`;
  return `${what}.${advice} ${howToList}`;
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

/** In Claude Code, `npm test:*` is a command that begins with `npm test`. */
function otherPattern({ tool: written, pattern }: RuleParts, { tools }: Registry): string | undefined {
  if (!pattern?.endsWith(":*")) return undefined;
  const start = pattern.slice(0, -2);
  // There, tools have capitals.
  const lower = written.toLowerCase();
  const tool = tools.some(({ name }) => name === lower) ? lower : written;
  return `":" is part of the text here. For all that begins with ${JSON.stringify(start)}: ${tool}(${start}*)`;
}
