import { isJsonObject, type JsonValue } from "./json.ts";

/**
 * What a call does to files, and which parameters say to which:
 * `path` holds the name of the parameter with the path, and so on.
 */
export type ToolAccess =
  /** Reads the file. */
  | { readonly kind: "read-file"; readonly path: string }
  /** Replaces the whole content. */
  | { readonly kind: "write-file"; readonly path: string }
  /** Replaces only text that the call quotes exactly. */
  | { readonly kind: "edit-file"; readonly path: string }
  /**
   * Lists file names that match a glob pattern below a directory. Without `pattern`: names in a directory and below it, following no
   * symlinks.
   */
  | { readonly kind: "list-files"; readonly path: string; readonly pattern?: string }
  /** Searches the files that match a glob pattern below a directory; without one, the files directly in it. */
  | { readonly kind: "search-files"; readonly path: string; readonly pattern: string }
  /** Runs a command line with sh(1). */
  | { readonly kind: "run-command"; readonly command: string };

type Kind = ToolAccess["kind"];

/** The parameters that each kind of access names, by kind. It must name all but those below. */
export const accessParameterKeys = {
  "read-file": ["path"],
  "write-file": ["path"],
  "edit-file": ["path"],
  "list-files": ["path", "pattern"],
  "search-files": ["path", "pattern"],
  "run-command": ["command"],
} as const satisfies { readonly [Each in Kind]: readonly Exclude<keyof Extract<ToolAccess, { kind: Each }>, "kind">[] };

/** The parameters that a kind of access need not name. */
export const optionalParameterKeys: Partial<Readonly<Record<Kind, readonly string[]>>> = { "list-files": ["pattern"] };

/** Reads `ikigai.access` of a schema; `undefined` for an unknown kind, or if it lacks a parameter name. Never throws. */
export function readToolAccess(declared: JsonValue | undefined): ToolAccess | undefined {
  if (!isJsonObject(declared)) return undefined;
  const { kind } = declared;
  if (typeof kind !== "string" || !Object.hasOwn(accessParameterKeys, kind)) return undefined;
  const optional = optionalParameterKeys[kind as Kind];
  const keys = accessParameterKeys[kind as Kind].filter(
    (key) => declared[key] !== undefined || !optional?.includes(key),
  );
  if (keys.some((key) => typeof declared[key] !== "string")) return undefined;
  return Object.fromEntries([["kind", kind], ...keys.map((key) => [key, declared[key]])]) as ToolAccess;
}

/** Returns the names of the parameters that an access uses. Never throws. @param access of a tool's schema. */
export function accessedParameters({ kind, ...parameters }: ToolAccess): string[] {
  return Object.values(parameters);
}
