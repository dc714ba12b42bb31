import type { Registry } from "./registry.ts";
import { firstChange } from "./stamps.ts";

/**
 * Whether discovery could find something else now: a tool, a directory, the project's `.ikigai/` or the user's trust in it has
 * changed. Costs a `stat` per file, and runs nothing.
 */
export function registryChanged({ seen }: Registry): boolean {
  return firstChange(seen) !== undefined;
}
