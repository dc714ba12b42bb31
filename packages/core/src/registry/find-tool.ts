import { nearestWord } from "@ikigai/system";
import type { RegisteredTool, Registry } from "./registry.ts";

/** The tool that a name stands for; undefined when there is none. */
export function findTool(registry: Registry, name: string): RegisteredTool | undefined {
  return registry.tools.find((tool) => tool.name === name);
}

/** The registered name that somebody who wrote `name` most likely meant, if there is one that is near. */
export function nearestName(registry: Registry, name: string): string | undefined {
  return nearestWord(
    name,
    registry.tools.map((tool) => tool.name),
  );
}
