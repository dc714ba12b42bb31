import type { RegisteredTool } from "@ikigai/core";
import { type ArgumentAliases, aliasesOf, type ToolAccess } from "@ikigai/protocol";

/** The access that is declared for a tool's calls, and who declares it. */
export interface DeclaredAccess {
  readonly access?: ToolAccess | undefined;
  readonly aliases: ArgumentAliases;
  /**
   * `system`: the system tool of this name. `tool`: this tool, which overrides no system tool; this may restrict its calls
   * but never allow them. `unknown`: the system tool of this name could not be queried.
   */
  readonly by: "system" | "tool" | "unknown";
}

/**
 * Returns how to interpret a tool's calls. An override is interpreted like the system tool it overrides, whatever it
 * declares.
 */
export function declaredAccess({ schema, system }: RegisteredTool): DeclaredAccess {
  if (system === "unknown") return { aliases: {}, by: "unknown" };
  const declared = system ?? schema;
  return { access: declared.ikigai?.access, aliases: aliasesOf(declared), by: system ? "system" : "tool" };
}

/** Access to one file that the call names. */
export type FileAccess = Extract<ToolAccess, { kind: "read-file" | "write-file" | "edit-file" }>;

export function isFileAccess(access: ToolAccess | undefined): access is FileAccess {
  return access?.kind === "read-file" || changesFile(access);
}

export function changesFile(
  access: ToolAccess | undefined,
): access is FileAccess & { kind: "write-file" | "edit-file" } {
  return access?.kind === "write-file" || access?.kind === "edit-file";
}

/** A search below a directory, by name or content. */
export type SearchAccess = Extract<ToolAccess, { kind: "list-files" | "search-files" }>;

export function isSearchAccess(access: ToolAccess | undefined): access is SearchAccess {
  return access?.kind === "list-files" || access?.kind === "search-files";
}
