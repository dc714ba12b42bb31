import type { RegisteredTool } from "@ikigai/core";
import { type ArgumentAliases, aliasesOf, type ToolAccess } from "@ikigai/protocol";

/** What is declared of a tool's calls, and by whom. */
export interface DeclaredAccess {
  readonly access?: ToolAccess | undefined;
  readonly aliases: ArgumentAliases;
  /**
   * `system`: by the system's tool of this name. `tool`: by this tool, which overrides none of the system's; that may restrict
   * its calls and never free them. `unknown`: the system's tool of this name could not be asked.
   */
  readonly by: "system" | "tool" | "unknown";
}

/** How to read the calls of a tool. An override is read like the system's tool that it overrides, whatever it declares. */
export function declaredAccess({ schema, system }: RegisteredTool): DeclaredAccess {
  if (system === "unknown") return { aliases: {}, by: "unknown" };
  const declared = system ?? schema;
  return { access: declared.ikigai?.access, aliases: aliasesOf(declared), by: system ? "system" : "tool" };
}

/** The file that a call names, as it is written; `undefined` for tools that name none. */
export type FileAccess = Extract<ToolAccess, { kind: "read-file" | "write-file" | "edit-file" }>;

export function isFileAccess(access: ToolAccess | undefined): access is FileAccess {
  return access?.kind === "read-file" || changesFile(access);
}

export function changesFile(
  access: ToolAccess | undefined,
): access is FileAccess & { kind: "write-file" | "edit-file" } {
  return access?.kind === "write-file" || access?.kind === "edit-file";
}

/** A search below a directory, for names or in contents. */
export type SearchAccess = Extract<ToolAccess, { kind: "list-files" | "search-files" }>;

export function isSearchAccess(access: ToolAccess | undefined): access is SearchAccess {
  return access?.kind === "list-files" || access?.kind === "search-files";
}
