import { withoutEnd } from "@ikigai/system";

/** Where servers and gateways put their error messages, the most specific first. OpenRouter has the provider's own body in `metadata.raw`. */
const messageKeys =
  "error errors metadata raw message detail error_description error_message msg description reason".split(" ");

/** How many levels of JSON are searched; servers use at most five, and one that nests without end must not end ikigai. */
const maxDepth = 10;

/** The error message in a JSON text, which may itself hold JSON; `undefined` without one. */
export function messageIn(json: string): string | undefined {
  return messageAt(json, 0);
}

function messageAt(json: string, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  const found = findMessage(parsed(json), 0);
  return found === undefined ? undefined : wordsAt(found, depth) || undefined;
}

/** A text for people: JSON in it is replaced by the error message that it contains, or dropped. */
export function withoutJson(text: string): string {
  return wordsAt(text, 0);
}

function wordsAt(text: string, depth: number): string {
  const start = text.search(/\{\s*["}]|\[\s*\{/);
  if (start < 0) return text;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  const before = text.slice(0, start).trim();
  const message = messageAt(text.slice(start, end), depth + 1);
  if (message === undefined) return withoutEnd(before, " \t\n\r:(,-");
  return before === "" ? message : `${before} ${message}`;
}

/** The codes and types in the body of an error, also in JSON strings in it: `context_length_exceeded`, `1261`. */
export function codesIn(body: string): string[] {
  return [...body.matchAll(/\\*"(?:code|type)\\*"\s*:\s*\\*"?([\w.-]{1,64})/g)].map(([, code = ""]) => code);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function findMessage(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value)) return value.length > 0 ? findMessage(value[0], depth + 1) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of messageKeys) {
    const message = Object.hasOwn(fields, key) ? findMessage(fields[key], depth + 1) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Returns the delay that a server asks for, in milliseconds: HTTP's seconds or date, or the providers' own header. */
export function retryAfterMs(headers: Readonly<Record<string, string>> = {}, now = Date.now()): number | undefined {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Returns the name of the tool that a server gives as the reason for rejecting a request; `undefined` if it names none.
 *
 * Servers name the tool by its place in the request (`tools.3.custom.input_schema`, `function_declarations[3].parameters`) or by its
 * quoted name (`Invalid schema for function 'weather'`). Arguments that a model wrote are no reason to blame the schema, and the messages
 * about them do not quote the name. Nor is a field that every tool has (`tools.0.custom.eager_input_streaming`, `tools.0.strict`).
 *
 * @param words the server's message.
 * @param names the tools of the request, in its order.
 */
export function rejectedTool(words: string, names: readonly string[]): string | undefined {
  const [, place, field = "name"] = placePattern.exec(words) ?? [];
  if (place !== undefined) return ownFields.has(field) ? names[Number(place)] : undefined;
  return names.find((name) => [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => isBlamed(words, quoted)));
}

/** What a tool's author decides. */
const ownFields = new Set(["name", "description", "input_schema", "parameters", "parametersJsonSchema"]);

/** Google has one list of declarations in the first of its tools. */
const placePattern =
  /(?:\bfunction_?declarations(?:\[|\.)|\btools(?:\[|\.)(?!\d+\]?\.function_?declarations\b))(\d{1,4})\b\]?(?:\.(?:custom|function)\b)*(?:\.([a-z_]+))?/i;

function isBlamed(words: string, quoted: string): boolean {
  const at = words.indexOf(quoted);
  return at >= 0 && /\b(?:function|tool)s?[\s:(]*$/i.test(words.slice(0, at));
}
