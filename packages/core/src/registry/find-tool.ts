import { nearestWord } from "@ikigai/system";
import type { RegisteredTool, Registry } from "./registry.ts";

/** Returns the registered tool with exactly this name; `undefined` if the registry has no such tool. Never throws. */
export function findTool(registry: Registry, name: string): RegisteredTool | undefined {
  return registry.tools.find((tool) => tool.name === name);
}

/** Returns the registered name closest to `name`, if one is close enough to be a likely typo. */
export function nearestName(registry: Registry, name: string): string | undefined {
  return nearestWord(
    name,
    registry.tools.map((tool) => tool.name),
  );
}
