import { nearestWord } from "@ikigai/system";
import type { Registry } from "./registry.ts";

/** The registered name that somebody who wrote `name` most likely meant, if there is one that is near. */
export function nearestName(registry: Registry, name: string): string | undefined {
  return nearestWord(
    name,
    registry.tools.map((tool) => tool.name),
  );
}
