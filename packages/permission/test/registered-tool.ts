import type { RegisteredTool } from "@ikigai/core";
import type { ToolAccess, ToolSchema, ToolScope } from "@ikigai/protocol";

/** The declarations of the tools in these tests, and the parameters that matter here. */
const declarations: Readonly<Record<string, readonly [ToolAccess, readonly string[]]>> = {
  bash: [{ kind: "run-command", command: "command" }, ["command", "background"]],
  file_read: [{ kind: "read-file", path: "file_path" }, ["file_path"]],
  file_write: [{ kind: "write-file", path: "file_path" }, ["file_path", "content"]],
  file_edit: [{ kind: "edit-file", path: "file_path" }, ["file_path", "old_string", "new_string"]],
  glob: [{ kind: "list-files", path: "path", pattern: "pattern" }, ["pattern", "path"]],
  grep: [{ kind: "search-files", path: "path", pattern: "glob" }, ["pattern", "glob", "path"]],
};

const readers: readonly string[] = ["file_read", "glob", "grep"];

/** The schema of the system tool of this name; `undefined` if these tests have none. */
export function systemSchema(name: string): ToolSchema | undefined {
  const declaration = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
  if (!declaration) return undefined;
  const [access, parameters] = declaration;
  const properties = Object.fromEntries(
    parameters.map((parameter) => [parameter, { type: parameter === "background" ? "boolean" : "string" }]),
  );
  return {
    name,
    description: name,
    parameters: { type: "object", properties },
    annotations: { readOnlyHint: readers.includes(name) },
    ikigai: { access },
  };
}

/** A registered tool without a file: a system tool, or one that overrides it and declares nothing. */
export function registeredTool(name: string, scope: ToolScope = "system", annotations = {}): RegisteredTool {
  const path = `/${scope}/${name}-tool`;
  const plain: ToolSchema = { name, description: name, parameters: { type: "object" }, annotations };
  const system = systemSchema(name) ?? (scope === "system" ? plain : undefined);
  return {
    name,
    path,
    scope,
    schema: scope === "system" && system ? system : plain,
    ...(system && { system }),
    identity: { realPath: path, stamp: "" },
    shadows: [],
    warnings: [],
  };
}
