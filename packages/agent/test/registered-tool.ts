import type { RegisteredTool } from "@ikigai/core";
import type { ToolScope } from "@ikigai/protocol";

/** A tool as the registry has it, without a file. */
export function registeredTool(name: string, scope: ToolScope = "system", annotations = {}): RegisteredTool {
  const path = `/${scope}/${name}-tool`;
  return {
    name,
    path,
    scope,
    schema: { name, description: name, parameters: { type: "object" }, annotations },
    identity: { realPath: path, stamp: "" },
    shadows: [],
    warnings: [],
  };
}
