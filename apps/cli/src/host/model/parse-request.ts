// Reads a plain request for offline-model.ts, and never guesses. In reading order: the order of the attempts, requests that begin with a tool's
// name, quoted texts, and the sentences for files and searches.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ModelTool } from "@ikigai/models";
import type { JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";

const politeness =
  /^(?:(?:hey|ok|okay|please|now|then|and|can you|could you|would you|will you|i want you to|let's)[,:]?\s+)+/i;

const helpPattern =
  /^(?:help|\?|hi|hello|hey|what can you do|what do you understand|who are you|what are you)\b.{0,20}$/is;

const runPattern = /^(?:(?:run|execute)(?:\s+the)?(?:\s+(?:shell\s+)?command)?\s*:?\s+|[$!]\s*)(?<command>.+)$/is;

/** Words at the end of a request that are not part of the command. */
const backgroundPattern = /\s+in (?:the )?background$/i;

/** Parses a plain request. Never guesses: a request that fits no form is unknown. */
export function parseRequest(text: string, tools: readonly ModelTool[], cwd: string): PlainRequest {
  const [paragraph = ""] = text.trim().split(/\n\s*\n/);
  const request = paragraph.replace(politeness, "").trim();
  const command = runPattern.exec(request)?.groups?.command;
  if (command) return runRequest(command);
  const sentence = request.replace(/(?<=[^.\s])[.?!]+$/, "").replace(/,? please$/i, "");
  if (helpPattern.test(sentence)) return { type: "help" };
  const exact = toolRequest(request, tools, "exact");
  if (exact) return exact;
  for (const { pattern, toRequest } of [...fileForms, ...searchForms(cwd)]) {
    const match = pattern.exec(sentence);
    if (match) return toRequest(match.groups ?? {});
  }
  return toolRequest(sentence, tools, "words") ?? { type: "unknown" };
}

function runRequest(text: string): PlainRequest {
  const background = backgroundPattern.test(text);
  const command = unquote(text.replace(backgroundPattern, ""));
  return callOf("bash", background ? { command, background } : { command });
}

const useWords =
  /^(?:(?:use|call|invoke|try)\s+)?(?:the\s+)?(?:tool\s+)?([A-Za-z][\w-]*)(?:\s+tool)?(?:\s+(?:with|for|on|in)\b)?\s*(.*)$/is;

const pairPattern = new RegExp(
  String.raw`([A-Za-z_]\w*)\s*[=:]\s*(${quotedOr(String.raw`[^\s,]+`)})(?:\s*,|\s+|$)`,
  "gsy",
);

/**
 * A request that begins with a tool's name: `weather city=Paris` and `use weather with {"city": "Paris"}` are exact,
 * `weather in Paris` is words. `undefined` if it does not, or if the meaning of the rest is unclear.
 */
function toolRequest(text: string, tools: readonly ModelTool[], form: "exact" | "words"): PlainRequest | undefined {
  const [, word = "", rest = ""] = useWords.exec(text) ?? [];
  const name = word.replaceAll("-", "_").replace(/_tool$/, "");
  const tool = tools.find((one) => one.name === name) ?? deferredTool(name, rest, tools);
  const args = tool && (form === "exact" ? exactArguments(rest.trim(), tool) : wordArguments(rest.trim(), tool));
  return tool && args && callOf(tool.name, args);
}

/** A tool whose schema is not sent, if some are not: only a name followed by an object can mean one. */
function deferredTool(name: string, rest: string, tools: readonly ModelTool[]): ModelTool | undefined {
  if (!rest.trimStart().startsWith("{") || !tools.some((one) => one.name === "load")) return undefined;
  return { name, description: "", parameters: {} };
}

/** A JSON object, or `key=value` pairs. */
function exactArguments(text: string, { parameters }: ModelTool): Record<string, unknown> | undefined {
  return text.startsWith("{") ? parseObject(text) : pairsOf(text, propertiesOf(parameters));
}

function wordArguments(text: string, { parameters }: ModelTool): Record<string, unknown> | undefined {
  const properties = propertiesOf(parameters);
  const required = (parameters.required ?? []) as string[];
  if (text === "") return required.length === 0 ? {} : undefined;
  // Words alone can only be the value of the tool's single string parameter.
  const [only, second] = required.length > 0 ? required : Object.keys(properties);
  if (only === undefined || second !== undefined || properties[only]?.type !== "string") return undefined;
  return { [only]: unquote(text.replace(new RegExp(`^${only}\\s+`, "i"), "")) };
}

function propertiesOf(parameters: JsonObject): Record<string, JsonObject> {
  return (parameters.properties ?? {}) as Record<string, JsonObject>;
}

function pairsOf(text: string, properties: Record<string, JsonObject>): Record<string, unknown> | undefined {
  const pairs: [string, unknown][] = [];
  let end = 0;
  for (const match of text.matchAll(pairPattern)) {
    const [whole, key = "", value = ""] = match;
    pairs.push([key, toType(value, properties[key]?.type)]);
    end = match.index + whole.length;
  }
  return pairs.length > 0 && end === text.length ? Object.fromEntries(pairs) : undefined;
}

/** Converts a value to its parameter's type; without a type, parses it as JSON if possible. */
function toType(value: string, type: unknown): unknown {
  const text = unquote(value);
  if (type === "string" || text !== value.trim()) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const pairs: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»" };

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

/** Removes the quotes around a text. Double quotes support the escapes `\n`, `\t`, `\"` and `\\`. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  const open = trimmed[0] ?? "";
  const close = pairs[open];
  if (trimmed.length < 2 || close === undefined || !trimmed.endsWith(close)) return trimmed;
  const inner = trimmed.slice(1, -1);
  if (open === close && hasUnescaped(inner, close)) return trimmed;
  return open === '"' ? inner.replace(/\\([nt"\\])/g, (_, letter: string) => escapes[letter] ?? letter) : inner;
}

function isQuoted(text: string): boolean {
  return unquote(text) !== text.trim();
}

/** A pattern for a quoted text or for `bare`; adds no groups. */
export function quotedOr(bare: string): string {
  return `${String.raw`"(?:[^"\\]|\\.)*"`}|'[^']*'|\`[^\`]*\`|“[^”]*”|‘[^’]*’|${bare}`;
}

function hasUnescaped(text: string, quote: string): boolean {
  return text.replace(/\\./gs, "").includes(quote);
}

/** A parsed plain request: a call, a request for help, or unknown. */
export type PlainRequest =
  | { readonly type: "call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly type: "help" }
  | { readonly type: "unknown" };

export function callOf(tool: string, args: Readonly<Record<string, unknown>>): PlainRequest {
  return { type: "call", tool, args };
}

/** A pattern of a request, with named groups, and its meaning. */
interface RequestForm {
  readonly pattern: RegExp;
  toRequest(groups: Readonly<Record<string, string | undefined>>): PlainRequest;
}

const path = quotedOr(String.raw`\S+`);
const some = quotedOr(".+?");

/** `form("read (?<file>PATH)")`: PATH is one word or a quoted text, SOME any text or a quoted one. */
function form(source: string, toRequest: RequestForm["toRequest"]): RequestForm {
  const pattern = source.replaceAll("PATH", path).replaceAll("SOME", some).replaceAll(" ", String.raw`\s+`);
  return { pattern: new RegExp(`^(?:${pattern})$`, "is"), toRequest };
}

const readVerb = "(?:read|show|cat|open|print|display|view)(?: me)?(?: the)?(?: contents? of)?(?: file)?";
const lineRange = String.raw`(?:lines? )?(?<first>\d+)(?:\s*(?:-|–|\.\.|to|through)\s*(?<last>\d+))?`;

function read({ file = "", first, last, count }: Readonly<Record<string, string | undefined>>): PlainRequest {
  const file_path = unquote(file);
  if (count) return callOf("file_read", { file_path, limit: Number(count) });
  if (!first) return callOf("file_read", { file_path });
  return callOf("file_read", { file_path, offset: Number(first), limit: Number(last ?? first) - Number(first) + 1 });
}

function replace(groups: Readonly<Record<string, string | undefined>>): PlainRequest {
  const { old = "", next = "", file = "", all, everywhere } = groups;
  const args = { file_path: unquote(file), old_string: unquote(old), new_string: unquote(next) };
  return callOf("file_edit", all || everywhere ? { ...args, replace_all: true } : args);
}

function write({ text = "", file = "" }: Readonly<Record<string, string | undefined>>): PlainRequest {
  return callOf("file_write", { file_path: unquote(file), content: unquote(text) });
}

/** Forms for reading, replacing and writing. The first match counts. */
export const fileForms: readonly RequestForm[] = [
  form(`${readVerb} ${lineRange} (?:of|from|in) (?<file>PATH)`, read),
  form(`${readVerb} (?:the )?first (?<count>\\d+) lines (?:of|from|in) (?<file>PATH)`, read),
  form(
    `${readVerb} (?<file>PATH),?(?: from)? lines? (?<first>\\d+)(?:\\s*(?:-|–|\\.\\.|to|through)\\s*(?<last>\\d+))?`,
    read,
  ),
  form(`${readVerb} (?<file>[^\\s"'\`]+?):(?<first>\\d+)(?:-(?<last>\\d+))?`, read),
  form(`${readVerb} (?<file>PATH)`, read),
  form(
    "(?:replace|change|substitute)(?<all> all| every)?(?: occurrences? of)? (?<old>SOME) (?:with|by|to) (?<next>SOME) in (?:the )?(?:file )?(?<file>PATH)(?<everywhere> everywhere)?",
    replace,
  ),
  form(
    "(?:write|save|put) (?:(?:the )?text )?(?<text>SOME) (?:in)?to (?:the |a )?(?:new )?(?:file )?(?:called |named )?(?<file>PATH)",
    write,
  ),
  form("(?:write|save) (?:to )?(?:the |a )?(?:file )?(?<file>PATH)\\s*: ?(?<text>.*)", write),
  form(
    "(?:create|make|write)(?: a| the)?(?: new)?(?: file)?(?: called| named)? (?<file>PATH) (?:with|containing|saying)(?: the)?(?: contents?| text)?:? (?<text>.+)",
    write,
  ),
  form("(?:create|make|touch)(?: an| a)?(?: new)?(?: empty)?(?: file)?(?: called| named)? (?<file>PATH)", write),
];

const searchVerb = "(?:search(?: for)?|grep(?: for)?|look for)";

const wildcards = /[*?[]/;

/** Forms for finding and searching. Looks up in `cwd` whether a place is a file, a directory or a pattern. */
export function searchForms(cwd: string): readonly RequestForm[] {
  const search = (groups: Readonly<Record<string, string | undefined>>): PlainRequest => {
    const { text = "", place, anyCase } = groups;
    const pattern = isQuoted(text) ? escapePattern(unquote(text)) : text.trim();
    const ignore = anyCase ? { ignore_case: true } : {};
    return callOf("grep", { pattern, ...whereOf(place && unquote(place), cwd), ...ignore });
  };
  const anyCase = "(?<anyCase>,? (?:ignoring case|case[- ]insensitively|in any case))?";
  return [
    form(`${searchVerb} (?<text>SOME) (?:in|under|inside|within) (?<place>PATH)${anyCase}`, search),
    form(`${searchVerb} (?<text>SOME)${anyCase}`, search),
    form("where is (?<text>SOME) (?:used|mentioned|defined)(?: in (?<place>PATH))?", search),
    form(
      "(?:find|glob|locate)(?: all)?(?: the)?(?: files?)?(?: named| called| matching| like)? (?<name>PATH)(?: files)?(?: (?:in|under) (?<place>PATH))?",
      find,
    ),
    form(
      "(?:list|show|what)(?: me)?(?: all)?(?: the)? files(?: are)?(?: here| there)?(?: (?:in|of|under) (?<place>PATH))?",
      list,
    ),
    form("list(?: (?<place>PATH))?", list),
    form("ls(?: (?<place>[^-\\s]\\S*))?", list),
  ];
}

function find({ name = "", place }: Readonly<Record<string, string | undefined>>): PlainRequest {
  const wanted = unquote(name);
  // A bare name matches in every subdirectory; a pattern or a path contains its location.
  const pattern = wanted.includes("/") || wanted.includes("**") ? wanted : `**/${wanted}`;
  return callOf("glob", place ? { pattern, path: unquote(place) } : { pattern });
}

function list({ place }: Readonly<Record<string, string | undefined>>): PlainRequest {
  return callOf("glob", place ? { pattern: "*", path: unquote(place) } : { pattern: "*" });
}

function whereOf(place: string | undefined, cwd: string): { path?: string; glob?: string } {
  if (!place) return { glob: "**/*" };
  if (wildcards.test(place)) return { glob: place };
  return isDirectory(resolve(cwd, place)) ? { path: place, glob: "**/*" } : { path: place };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Escapes a quoted text, which is literal, for a regular expression. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
