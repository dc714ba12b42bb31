// A call before it has a result: one line for it, its arguments in readable form, and all of them for a question. The folder, in the order of a
// call: render-call, render-brief, file-change, program-colours, render-result, draw-visuals.

import {
  argumentAliases,
  argumentsAsRead,
  commandDirectory,
  type JsonObject,
  type JsonValue,
  type ToolAccess,
  type ToolScope,
} from "@ikigai/protocol";
import { cutToWidth, type Look, sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { compactJson, shellWord } from "@ikigai/system";
import { namedPath } from "../../host/places/find-places.ts";
import { parseObject, printedJson } from "../json.ts";
import type { LineOutput } from "../line-output.ts";

/** What is known about a call. Without a scope, the tool does not exist or has not been started. */
export interface ShownCall {
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  readonly scope?: ToolScope;
}

/** Lines shown of arguments that have no short form. */
const maxLines = 3;

/** The line for a call: `● bash  ls -la`. It names the scope of a tool that did not come with ikigai. */
export function renderCall(call: ShownCall, look: Look, sign = look.style.cyan(look.signs.call)): string {
  const title = callTitle(call, look);
  const what = describeCall(call, look);
  return `${sign} ${title}${what === "" ? "" : `  ${what.replaceAll("\n", "\n    ")}`}`;
}

/** The tool's name, with its scope unless it is a system tool. */
export function callTitle(
  { name, scope }: Pick<ShownCall, "name" | "scope">,
  { style }: Pick<LineOutput, "style">,
): string {
  return `${style.bold(sanitiseLine(name))}${scope === undefined || scope === "system" ? "" : ` (${scope})`}`;
}

/** The arguments in readable form: the whole command, the file and its lines, the pattern, else `key: value`. */
export function describeCall({ name, arguments: text, scope }: ShownCall, { signs, columns }: Look): string {
  const args = parseObject(text);
  if (args === undefined) return cutToWidth(sanitiseLine(text), columns * maxLines, signs.cut);
  const form = scope === "system" || scope === undefined ? forms[name]?.(underOwnNames(name, args)) : undefined;
  return form ?? cutToWidth(sanitiseLine(describeObject(args)), columns * maxLines, signs.cut);
}

const kinds: Readonly<Record<string, ToolAccess["kind"]>> = {
  bash: "run-command",
  file_read: "read-file",
  file_write: "write-file",
  file_edit: "edit-file",
  glob: "list-files",
  grep: "search-files",
};

/** The arguments of a call of a system tool as the tool reads them: models write other agents' names, such as `path` and `oldString`. */
export function underOwnNames(name: string, args: JsonObject): JsonObject {
  const kind = kinds[name];
  return kind ? argumentsAsRead(args, { parameters: {}, aliases: argumentAliases[kind] }) : args;
}

/** Short forms of the system tools' arguments; undefined for unexpected types. */
const forms: Readonly<Record<string, (args: JsonObject) => string | undefined>> = {
  bash: ({ command, background, ...others }) => {
    if (typeof command !== "string") return undefined;
    const directory = commandDirectory(others, {});
    const place = directory === undefined ? "" : `cd ${sanitiseLine(shellWord(directory))} && `;
    return `${place}${sanitiseStrictly(command)}${background === true ? "  (in the background)" : ""}`;
  },
  file_read: ({ file_path: path, offset, limit }) => {
    return typeof path === "string" ? `${sanitiseLine(namedPath(path))}${lineRange(offset, limit)}` : undefined;
  },
  file_write: ({ file_path: path }) => (typeof path === "string" ? sanitiseLine(namedPath(path)) : undefined),
  file_edit: ({ file_path: path }) => (typeof path === "string" ? sanitiseLine(namedPath(path)) : undefined),
  agent: ({ agent, task }) => {
    if (typeof task !== "string") return undefined;
    return sanitiseLine(`${typeof agent === "string" && agent !== "" ? `${agent}: ` : ""}${task}`);
  },
  glob: ({ pattern, path }) => (typeof pattern === "string" ? `${sanitiseLine(pattern)}${inPlace(path)}` : undefined),
  grep: ({ pattern, glob, path }) => {
    if (typeof pattern !== "string") return undefined;
    return `${sanitiseLine(pattern)}${inPlace(path)}${typeof glob === "string" ? ` (${sanitiseLine(glob)})` : ""}`;
  },
  ask_user: ({ question }) => (typeof question === "string" ? sanitiseLine(question) : undefined),
  todo: ({ items }) => (Array.isArray(items) ? countOf(items.length) : ""),
};

function countOf(tasks: number): string {
  return tasks === 1 ? "1 task" : `${tasks} tasks`;
}

function lineRange(offset: JsonValue = null, limit: JsonValue = null): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return ` lines ${first}-${first + limit - 1}`;
  return typeof offset === "number" ? ` from line ${first}` : "";
}

function inPlace(path: JsonValue | undefined): string {
  return typeof path === "string" && path !== "" ? ` in ${sanitiseLine(namedPath(path))}` : "";
}

function describeObject(value: JsonObject): string {
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${typeof item === "string" ? item : printedJson(item)}`)
    .join("  ");
}

/** All arguments in full, for a permission question. */
export function describeWhole(text: string): string {
  const args = parseObject(text);
  // Parsing drops a duplicate key and rounds a number of twenty digits: then the raw text is shown.
  if (args === undefined || printedJson(args) !== compactJson(text)) return sanitiseStrictly(text);
  return Object.entries(args)
    .map(([key, value]) => {
      const shown = typeof value === "string" ? value : printedJson(value, 2);
      const separator = shown.includes("\n") ? "\n  " : " ";
      return `${sanitiseLine(key)}:${separator}${sanitiseStrictly(shown).replaceAll("\n", "\n  ")}`;
    })
    .join("\n");
}
