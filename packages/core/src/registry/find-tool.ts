import type { RegisteredTool, Registry } from "./registry.ts";

export function findTool(registry: Registry, name: string): RegisteredTool | undefined {
  return registry.tools.find((tool) => tool.name === name);
}
