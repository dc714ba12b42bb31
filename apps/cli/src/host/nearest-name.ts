import type { Registry } from "@ikigai/core";
import { nearestWord } from "@ikigai/system";

/** Returns the name of a tool closest to `name`, if one is close enough to be a likely typo. */
export function nearestName({ tools }: Registry, name: string): string | undefined {
  return nearestWord(
    name,
    tools.map((tool) => tool.name),
  );
}
