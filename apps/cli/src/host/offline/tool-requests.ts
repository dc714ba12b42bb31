import type { ModelTool } from "@ikigai/agent/internal";
import type { JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { callOf, type PlainRequest } from "./plain-request.ts";
import { quotedOr, unquote } from "./unquote.ts";

const useWords =
  /^(?:(?:use|call|invoke|try)\s+)?(?:the\s+)?(?:tool\s+)?([A-Za-z][\w-]*)(?:\s+tool)?(?:\s+(?:with|for|on|in)\b)?\s*(.*)$/is;

const pairPattern = new RegExp(
  String.raw`([A-Za-z_]\w*)\s*[=:]\s*(${quotedOr(String.raw`[^\s,]+`)})(?:\s*,|\s+|$)`,
  "gsy",
);

/**
 * A request that begins with a tool's name: `weather city=Paris` and `use weather with {"city": "Paris"}` are exact,
 * `weather in Paris` is words. `undefined` when it does not, or when nothing says what the rest is for.
 */
export function toolRequest(
  text: string,
  tools: readonly ModelTool[],
  form: "exact" | "words",
): PlainRequest | undefined {
  const [, word = "", rest = ""] = useWords.exec(text) ?? [];
  const name = word.replaceAll("-", "_").replace(/_tool$/, "");
  const tool = tools.find((one) => one.name === name);
  const args = tool && (form === "exact" ? exactArguments(rest.trim(), tool) : wordArguments(rest.trim(), tool));
  return tool && args && callOf(tool.name, args);
}

/** A JSON object, or `key=value` pairs. */
function exactArguments(text: string, { parameters }: ModelTool): Record<string, unknown> | undefined {
  return text.startsWith("{") ? parseObject(text) : pairsOf(text, propertiesOf(parameters));
}

function wordArguments(text: string, { parameters }: ModelTool): Record<string, unknown> | undefined {
  const properties = propertiesOf(parameters);
  const required = (parameters.required ?? []) as string[];
  if (text === "") return required.length === 0 ? {} : undefined;
  // Words alone can only be meant for the one text that the tool needs.
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

/** A value as its parameter wants it; without a type, as JSON if it is some. */
function toType(value: string, type: unknown): unknown {
  const text = unquote(value);
  if (type === "string" || text !== value.trim()) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
