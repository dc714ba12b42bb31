import { namesTool, parseRule } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { nearestName } from "@ikigai/core/internal";
import { sanitiseLine } from "./sanitise.ts";

/**
 * Says which rules name no tool, a line each. Only a warning: the tool may be added while ikigai runs.
 *
 * @param label printed before each rule.
 */
export function unknownAllowed(allowed: readonly string[], registry: Registry, label = "--allow"): string[] {
  const known = [...registry.tools, ...registry.failed];
  return allowed.flatMap((rule) => {
    const parts = parseRule(rule);
    if (!parts || known.some(({ name }) => namesTool(parts, name))) return [];
    const nearest = nearestName(registry, parts.tool);
    const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    const isPattern = parts.tool.endsWith("*");
    const what = isPattern
      ? `no tool's name begins with ${parts.tool.slice(0, -1)}`
      : `no tool is called ${parts.tool}`;
    return [sanitiseLine(`${label} ${rule}: ${what}.${advice} To list the tools: ikigai tool list`)];
  });
}
