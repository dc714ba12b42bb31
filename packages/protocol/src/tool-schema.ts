// The schema of a tool: what a model gets, and what only the host reads.

import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ToolNeeds } from "./needs.ts";

/** The answer to `X-tool --schema` in the form a host uses: aliases and the older parameter form are resolved. */
export interface ToolSchema {
  /** As the model calls it. */
  name: string;
  /** What the tool does, for the model. */
  description: string;
  /** A JSON Schema of type `object`. */
  parameters: JsonObject;
  /** A display name for people. */
  title?: string;
  /** A JSON Schema of the tool's answer. */
  outputSchema?: JsonObject;
  /** MCP's hints. */
  annotations?: ToolAnnotations;
  /** ikigai's own extensions. */
  ikigai?: ToolExtensions;
}

/** MCP's hints about a tool's behaviour. A host must not relax its permissions because of them. */
export interface ToolAnnotations {
  /** A display name for people. */
  title?: string;
  /** Calls change nothing. */
  readOnlyHint?: boolean;
  /** Calls may delete or overwrite data. */
  destructiveHint?: boolean;
  /** Repeating a call has no further effect. */
  idempotentHint?: boolean;
  /** Calls reach beyond this machine, for instance the web. */
  openWorldHint?: boolean;
}

/** Optional requests of a tool to a host. A host that does not know them still runs the tool. */
export interface ToolExtensions {
  /** The tool's version, for display. */
  version?: string;
  /** Time limit of a call, in milliseconds; at most `maxTimeoutMs`. */
  timeoutMs?: number;
  /** Name of the parameter that sets the time limit of a single call, in milliseconds. */
  timeoutArgument?: string;
  /** How much of the answer reaches the model, in bytes; at most `maxMaxOutputBytes`. */
  maxOutputBytes?: number;
  /** How much of an answer is worth a model's reading, in bytes; at most `maxMaxOutputBytes`. The tool fits its answer. */
  answerBytes?: number;
  /** What the tool needs besides the project: hosts, files, variables. In a sandbox it gets this alone, once the user has agreed. */
  needs?: ToolNeeds;
  /**
   * The tool does nothing before it has read stdin, so a host may start it ahead of a call, and nothing after it has closed
   * stdout, so a host may kill it then.
   */
  prestart?: boolean;
  /** One process can answer many calls, one after the other, and keeps nothing between them. */
  serves?: boolean;
  /** Name of the service that answers the tool's calls from one process with state. Takes precedence over `serves`. */
  service?: string;
  /** The fields of an answer that may differ between identical calls, such as a process id. */
  varies?: readonly string[];
  /**
   * The tool starts agents: a host may give its calls a grant and its own program. Only for tools of the system and the user that have
   * one process per call.
   */
  agent?: boolean;
  /**
   * The tool loads other tools and skills: it gets the list of them (`IKIGAI_CATALOG`), and a host sends the schemas of the tools that
   * its answer names in `introduces`.
   */
  catalog?: boolean;
  /** `false`: a host with many tools sends this schema with every request. Default: the host decides. */
  defer?: boolean;
  /**
   * The methods of the host that the tool calls over the descriptor for progress, such as `ask`; see `HostMethod`. Its calls have one
   * process each.
   */
  host?: readonly string[];
  /** A call may leave a job: its process continues after an answer with `"job": true`, where the host has set `IKIGAI_JOBS`. */
  jobs?: boolean;
  /** The tool keeps something for the length of a session, in `IKIGAI_STATE_DIR`. Not for a project's tools. */
  state?: boolean;
  /**
   * The tool says what is wrong with files: for each extension, what shows that it can. A program on the PATH or in the project's
   * `node_modules/.bin`, or a file of the project, which has a slash. A host calls it after edits.
   */
  diagnostics?: Readonly<Record<string, readonly string[]>>;
  /** What a call reads, writes or runs. A host trusts this only for tools that ship with it. */
  access?: ToolAccess;
}

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

/** The ending of a tool's file name. */
export const toolSuffix = "-tool";

/**
 * Returns the name of a tool with this file name. Never throws.
 *
 * @param fileName It ends in `-tool`.
 */
export function toolNameOf(fileName: string): string {
  return fileName.slice(0, -toolSuffix.length).replaceAll("-", "_");
}

/** Tool names that every model provider accepts. The name is that of the file without `-tool`, with `_` for `-`. */
export const toolNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
