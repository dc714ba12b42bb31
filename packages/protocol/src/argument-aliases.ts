// Other agents' names for the parameters of file tools, and the arguments of a call as the host and the tool both read them.

import { coerceArgument, coerceArguments } from "./coerce-arguments.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ToolAccess, ToolSchema } from "./tool-schema.ts";

/** Alternative parameter names that models use, mapped to the tool's own. */
export type ArgumentAliases = Readonly<Record<string, string>>;

const file = {
  path: "file_path",
  filePath: "file_path",
  filename: "file_path",
  absolute_path: "file_path",
  target_file: "file_path",
} as const;

const directory = { directory: "path", dir_path: "path" } as const;

/**
 * Parameter names of other agents' tools that models were trained on, where the meaning is
 * the same. Tools accept them without advertising them, and permission checks must read
 * them, too. `timeout` is milliseconds from 1,000 on, else seconds: agents differ, and no command is stopped after less than a second.
 */
export const argumentAliases = {
  "run-command": { run_in_background: "background", is_background: "background", timeout: "timeout_ms" },
  "read-file": file,
  "write-file": { ...file, contents: "content", file_text: "content" },
  "edit-file": {
    ...file,
    old_text: "old_string",
    new_text: "new_string",
    oldText: "old_string",
    newText: "new_string",
    oldString: "old_string",
    newString: "new_string",
    old_str: "old_string",
    new_str: "new_string",
    replaceAll: "replace_all",
  },
  "list-files": { ...directory, glob_pattern: "pattern" },
  "search-files": {
    ...directory,
    file_path: "path",
    include: "glob",
    include_pattern: "glob",
    glob_pattern: "glob",
    regex: "pattern",
    query: "pattern",
    "-i": "ignore_case",
    ignoreCase: "ignore_case",
    case_insensitive: "ignore_case",
  },
} as const satisfies Readonly<Record<ToolAccess["kind"], ArgumentAliases>>;

/** Names for the directory in which a command is to run, accepted without being advertised; the first one that is given counts. */
const directoryNames = ["cwd", "workdir", "working_directory", "working_dir", "dir"] as const;

/**
 * The directory that a call with the access `run-command` names besides its command: to be read as `cd DIRECTORY && COMMAND`.
 * `undefined` without one. Never throws.
 *
 * @param args the call's arguments, as a model wrote them.
 * @param parameters the tool's schema of its arguments: a parameter of its own is no such name.
 */
export function commandDirectory(args: JsonObject, parameters: JsonObject): string | undefined {
  const own = isJsonObject(parameters.properties) ? parameters.properties : {};
  const given = directoryNames.filter((name) => !Object.hasOwn(own, name)).map((name) => args[name]);
  return given.find((value): value is string => typeof value === "string" && value !== "");
}

/** What decides how a tool reads its arguments: its schema of them, and the other names that it accepts for parameters. */
export interface ArgumentReading {
  readonly parameters: JsonObject;
  readonly aliases: ArgumentAliases;
}

/**
 * Returns the arguments as a tool reads them: under the parameters' own names, and values of a wrong type as those that they spell
 * (`coerceArguments`). Tools, permission checks and hosts use this one function, so that they agree on what a call does. An alias is
 * kept if its parameter is also given. Returns the same object if nothing changes. Never throws.
 *
 * @example
 * const parameters = { properties: { file_path: { type: "string" }, limit: { type: "integer" } } };
 * // { file_path: "a.txt", limit: 5 }
 * argumentsAsRead({ path: "a.txt", limit: "5" }, { parameters, aliases: argumentAliases["read-file"] });
 */
export function argumentsAsRead(args: JsonObject, { parameters, aliases }: ArgumentReading): JsonObject {
  const given = Object.entries(aliases).filter(([alias]) => Object.hasOwn(args, alias));
  const renamed = given.length === 0 ? args : { ...args };
  for (const [alias, name] of given) {
    if ((renamed[alias] ?? null) === null || (renamed[name] ?? null) !== null) continue;
    const value = coerceArgument(renamed[alias] as JsonValue, name, parameters);
    const isSeconds = alias === "timeout" && typeof value === "number" && value < 1_000;
    renamed[name] = isSeconds ? value * 1_000 : value;
    delete renamed[alias];
  }
  return coerceArguments(renamed, parameters);
}

/**
 * Returns the aliases that a tool with this schema accepts: those of its `access` kind, except for its own parameter names. Never
 * throws.
 *
 * @param schema of the tool.
 */
export function aliasesOf({ parameters, ikigai }: Pick<ToolSchema, "parameters" | "ikigai">): ArgumentAliases {
  const { access } = ikigai ?? {};
  const own = isJsonObject(parameters.properties) ? parameters.properties : {};
  if (!access) return {};
  const entries = Object.entries<string>(argumentAliases[access.kind]);
  return Object.fromEntries(entries.filter(([alias, name]) => Object.hasOwn(own, name) && !Object.hasOwn(own, alias)));
}
