import { isAbsolute } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { type ArgumentReading, aliasesOf, argumentsAsRead, type JsonObject, type ToolAccess } from "@ikigai/protocol";
import { pathAsMeant, pathAsSpelled } from "@ikigai/system";
import { realTarget } from "./real-target.ts";

/** The access that is declared for a tool's calls, and who declares it. */
export interface DeclaredAccess extends ArgumentReading {
  readonly access?: ToolAccess | undefined;
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
  if (system === "unknown") return { parameters: {}, aliases: {}, by: "unknown" };
  const declared = system ?? schema;
  const { parameters } = declared;
  return { access: declared.ikigai?.access, parameters, aliases: aliasesOf(declared), by: system ? "system" : "tool" };
}

/**
 * Returns a call's arguments as the tool reads them, by the tools' own function. Those of a system tool, and of its override, have the
 * path of a file or a search as it is meant: `~/` and `file:///` are absolute. Returns the same object if nothing changes.
 */
export function argumentsRead(args: JsonObject, declared: DeclaredAccess): JsonObject {
  return withMeantPath(argumentsAsRead(args, declared), declared);
}

/** Returns arguments with the path as it is meant, if the declaration is a system tool's. */
export function withMeantPath(args: JsonObject, { access, by }: DeclaredAccess): JsonObject {
  const name = by === "system" && access !== undefined && "path" in access ? access.path : undefined;
  const path = name === undefined ? undefined : args[name];
  const meant = typeof path === "string" ? pathAsMeant(path) : undefined;
  return name === undefined || meant === undefined || meant === path ? args : { ...args, [name]: meant };
}

/** Returns the path that a system tool takes instead of one that does not exist (`pathAsSpelled`). */
export function asToolSpells(path: string, { access, by }: DeclaredAccess, cwd: string): string {
  if (by !== "system" || access?.kind === "write-file" || path === "" || path.includes("\0")) return path;
  const absolute = isAbsolute(path) ? path : `${cwd}/${path}`;
  const spelled = pathAsSpelled(absolute);
  return spelled === absolute ? path : spelled;
}

/** Returns the file that a call would open, symlinks resolved. */
export function fileTarget(path: string, declared: DeclaredAccess, cwd: string): string | undefined {
  return realTarget(asToolSpells(path, declared, cwd), cwd);
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
