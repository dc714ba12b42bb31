import { isJsonObject, type JsonObject } from "./json.ts";
import type { ToolAccess } from "./tool-access.ts";
import type { ToolSchema } from "./tool-schema.ts";

/** Other names of parameters: what models call them → what they are called. */
export type ArgumentAliases = Readonly<Record<string, string>>;

const file: ArgumentAliases = {
  path: "file_path",
  filePath: "file_path",
  filename: "file_path",
  absolute_path: "file_path",
  target_file: "file_path",
};

const directory: ArgumentAliases = { directory: "path", dir_path: "path" };

/**
 * What models that were trained with other agents call the parameters of such tools, where the meaning is the same. The tools
 * take these names and do not advertise them; whoever decides about a call has to read them too. A `timeout` is none of them:
 * some agents mean seconds, others milliseconds.
 */
export const argumentAliases = {
  "run-command": { run_in_background: "background", is_background: "background" },
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

/** The arguments of a call with the parameters' own names; an alias beside the name itself stays what it is. */
export function renameAliases(args: JsonObject, aliases: ArgumentAliases): JsonObject {
  const renamed = { ...args };
  for (const [alias, name] of Object.entries(aliases)) {
    const value = Object.hasOwn(renamed, alias) ? renamed[alias] : undefined;
    if ((value ?? null) === null || (renamed[name] ?? null) !== null) continue;
    renamed[name] = value as JsonObject[string];
    delete renamed[alias];
  }
  return renamed;
}

/** The names that a tool with this schema accepts for its parameters beside their own. */
export function aliasesOf({ parameters, ikigai }: Pick<ToolSchema, "parameters" | "ikigai">): ArgumentAliases {
  const { access } = ikigai ?? {};
  const own = isJsonObject(parameters.properties) ? parameters.properties : {};
  if (!access) return {};
  const entries = Object.entries<string>(argumentAliases[access.kind]);
  return Object.fromEntries(entries.filter(([alias, name]) => Object.hasOwn(own, name) && !Object.hasOwn(own, alias)));
}
