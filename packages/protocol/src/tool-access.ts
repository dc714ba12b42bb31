import { isJsonObject, type JsonValue } from "./json.ts";

/** The parameters that each kind of access must name, by kind. */
export const accessParameterKeys = {
  "read-file": ["path"],
  /** Replaces the whole content. */
  "write-file": ["path"],
  /** Replaces only text that the call quotes exactly. */
  "edit-file": ["path"],
  /** Lists file names that match a glob pattern below a directory. */
  "list-files": ["path", "pattern"],
  /** Searches the files that match a glob pattern below a directory; without one, the files directly in it. */
  "search-files": ["path", "pattern"],
  /** Runs a command line with sh(1). */
  "run-command": ["command"],
} as const;

type Kind = keyof typeof accessParameterKeys;

/**
 * What a call does to files, and which parameters say to which:
 * `path` holds the name of the parameter with the path, and so on.
 */
export type ToolAccess = {
  [Each in Kind]: { readonly kind: Each } & Readonly<Record<(typeof accessParameterKeys)[Each][number], string>>;
}[Kind];

/** Reads `ikigai.access` of a schema; `undefined` for an unknown kind, or if it lacks a parameter name. */
export function readToolAccess(declared: JsonValue | undefined): ToolAccess | undefined {
  if (!isJsonObject(declared)) return undefined;
  const { kind } = declared;
  if (typeof kind !== "string" || !Object.hasOwn(accessParameterKeys, kind)) return undefined;
  const keys = accessParameterKeys[kind as Kind];
  if (keys.some((key) => typeof declared[key] !== "string")) return undefined;
  return Object.fromEntries([["kind", kind], ...keys.map((key) => [key, declared[key]])]) as ToolAccess;
}

/** Returns the names of the parameters that an access uses. */
export function accessedParameters({ kind, ...parameters }: ToolAccess): string[] {
  return Object.values(parameters);
}
