import { isJsonObject, type JsonValue } from "./json.ts";

/** The parameters that each kind of access names. */
const parameterKeys = {
  "read-file": ["path"],
  /** Replaces the whole content. */
  "write-file": ["path"],
  /** Replaces only text that the call names exactly. */
  "edit-file": ["path"],
  /** Names of files, by a glob pattern below a directory. */
  "list-files": ["path", "pattern"],
  /** Content of files, by a glob pattern below a directory; all files directly in it without one. */
  "search-files": ["path", "pattern"],
  /** A command line for sh(1). */
  "run-command": ["command"],
} as const;

type Kind = keyof typeof parameterKeys;

/**
 * What a call does to the files of its machine, and which of the tool's parameters say to what: `path` names the parameter that
 * holds the path, and so on.
 */
export type ToolAccess = {
  [Each in Kind]: { readonly kind: Each } & Readonly<Record<(typeof parameterKeys)[Each][number], string>>;
}[Kind];

/** Reads `ikigai.access` of a tool's schema; `undefined` for a kind that this version does not know, or without its parameters. */
export function readToolAccess(declared: JsonValue | undefined): ToolAccess | undefined {
  if (!isJsonObject(declared)) return undefined;
  const { kind } = declared;
  if (typeof kind !== "string" || !Object.hasOwn(parameterKeys, kind)) return undefined;
  const keys = parameterKeys[kind as Kind];
  if (keys.some((key) => typeof declared[key] !== "string")) return undefined;
  return Object.fromEntries([["kind", kind], ...keys.map((key) => [key, declared[key]])]) as ToolAccess;
}

/** The parameters that an access names. */
export function accessedParameters({ kind, ...parameters }: ToolAccess): string[] {
  return Object.values(parameters);
}
