import { namesTool, parseRule, type RuleParts } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { nearestName } from "@ikigai/core/internal";
import { sanitiseLine } from "./sanitise.ts";

/**
 * Says which rules name no tool, and which have a pattern that means something else in Claude Code, a line each. Only warnings: the
 * tool may be added while ikigai runs, and the pattern may be meant.
 *
 * @param label printed before each rule.
 */
export function ruleWarnings(rules: readonly string[], registry: Registry, label = "--allow"): string[] {
  return rules.flatMap((rule) => {
    const parts = parseRule(rule);
    if (!parts) return [];
    const warnings = [unknownTool(parts, registry), otherPattern(parts)];
    return warnings
      .filter((warning) => warning !== undefined)
      .map((warning) => sanitiseLine(`${label} ${rule}: ${warning}`));
  });
}

function unknownTool(parts: RuleParts, registry: Registry): string | undefined {
  const known = [...registry.tools, ...registry.failed];
  if (known.some(({ name }) => namesTool(parts, name))) return undefined;
  const nearest = nearestName(registry, parts.tool);
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const isPattern = parts.tool.endsWith("*");
  const what = isPattern ? `no tool's name begins with ${parts.tool.slice(0, -1)}` : `no tool is called ${parts.tool}`;
  return `${what}.${advice} To list the tools: ikigai tool list`;
}

/** In Claude Code, `npm test:*` is a command that begins with `npm test`. */
function otherPattern({ tool, pattern }: RuleParts): string | undefined {
  if (!pattern?.endsWith(":*")) return undefined;
  const start = pattern.slice(0, -2);
  return `":" is part of the text here. For all that begins with ${JSON.stringify(start)}: ${tool}(${start}*)`;
}
