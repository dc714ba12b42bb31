import type { Registry } from "@ikigai/core";
import { nearestWord } from "@ikigai/system";

/** Says that there is no such tool, with the nearest name. */
export function toolNotFound(registry: Registry, name: string): string {
  const nearest = nearestName(registry, name);
  return `Tool not found: ${name}. ${nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`}`;
}

/** Returns the name of a tool closest to `name`, if one is close enough to be a likely typo. */
export function nearestName({ tools }: Registry, name: string): string | undefined {
  return nearestWord(
    name,
    tools.map((tool) => tool.name),
  );
}
