import type { ModelTool } from "@ikigai/agent/internal";
import type { JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { callOf, fileForms, type PlainRequest, quotedOr, searchForms, unquote } from "./request-forms.ts";

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
