import type { RegisteredTool, Registry } from "./registry.ts";

/** The tool that a name stands for; undefined when there is none. */
export function findTool(registry: Registry, name: string): RegisteredTool | undefined {
  return registry.tools.find((tool) => tool.name === name);
}
