import { type Config, parseRule } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { nearestName } from "@ikigai/core/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { type Line, note } from "./doctor-sections.ts";

/**
 * Names of tools in the configuration that no tool has: most likely a slip, and a rule with one does nothing. No more than a
 * note, as the tool may be another project's.
 */
export function checkToolNames({ tools = {}, permission }: Config, registry: Registry): Line[] {
  const ruled = (permission?.rules ?? []).flatMap(({ rule }) => {
    const tool = parseRule(rule)?.tool;
    return tool === undefined || tool.includes("*") ? [] : [[tool, `the rule ${rule}`] as const];
  });
  const set = Object.keys(tools).map((name) => [name, `tools.${name}`] as const);
  const known = [...registry.tools, ...registry.failed].map(({ name }) => name);
  return [...set, ...ruled]
    .filter(([name]) => !known.includes(name))
    .map(([name, where]) => {
      const nearest = nearestName(registry, name);
      const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
      return note(sanitiseLine(`${where} names a tool that is not here: ${name}.${advice}`));
    });
}
