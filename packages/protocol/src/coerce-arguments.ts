// Models write "5" for 5, and a list as a JSON text. A value of a type that its schema does not allow becomes the one that it
// spells, if nothing is lost. A value of a type that the schema allows is never changed, so valid arguments stay as they are, and
// coercing twice changes nothing more. Only `type`, `anyOf` and `oneOf` decide, and references within the schema.

import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { maxJsonLevels } from "./limits.ts";
import { isDeeperThan, unescapePointer } from "./read-tool-schema.ts";

/** How many references in a row are followed. */
const maxReferences = 16;

type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/**
 * Returns arguments with each value of a wrong type replaced by the one that it spells: `"1"` for a number, `"true"` for a boolean,
 * `1` or `true` for a string, a JSON text for an object or array, a single value for an array of such values. Whatever would lose
 * something (`1.5` for a string, since it may have been written `1.50`) stays. Returns the same object if nothing changes. Never throws.
 *
 * @param args a call's arguments, as a model wrote them.
 * @param parameters the tool's schema of its arguments.
 */
export function coerceArguments(args: JsonObject, parameters: JsonObject): JsonObject {
  return coerceMembers(args, parameters, parameters);
}

/** As `coerceArguments`, for one argument. */
export function coerceArgument(value: JsonValue, name: string, parameters: JsonObject): JsonValue {
  return coerce(value, memberSchema(parameters, name), parameters);
}

function coerce(value: JsonValue, schema: JsonValue | undefined, root: JsonObject): JsonValue {
  const choices = choicesOf(schema, root);
  if (choices.length === 0) return value;
  const fitting = choices.filter(({ types }) => typesOf(value).some((type) => types.includes(type)));
  if (fitting.length > 1) return value;
  const [one] = fitting;
  if (one) return coerceInside(value, one.schema, root);
  for (const { schema: choice, types } of choices) {
    for (const type of types) {
      const found = spelled(value, type, choice, root);
      if (found !== undefined) return coerceInside(found, choice, root);
    }
  }
  return value;
}

/** A schema with the types that it allows. */
interface Choice {
  readonly schema: JsonObject;
  readonly types: readonly JsonType[];
}

/** The schemas that a value may fit; empty if any value might. */
function choicesOf(schema: JsonValue | undefined, root: JsonObject): readonly Choice[] {
  const plain = dereferenced(schema, root);
  if (!isJsonObject(plain)) return [];
  const { type, anyOf, oneOf } = plain;
  if (type !== undefined) return [{ schema: plain, types: [type].flat() as JsonType[] }];
  const parts = anyOf ?? oneOf;
  if (!Array.isArray(parts)) return [];
  const choices = parts.map((part) => {
    const one = dereferenced(part, root);
    return isJsonObject(one) && one.type !== undefined
      ? { schema: one, types: [one.type].flat() as JsonType[] }
      : undefined;
  });
  return choices.every((one) => one !== undefined) ? choices : [];
}

function dereferenced(schema: JsonValue | undefined, root: JsonObject): JsonValue | undefined {
  let found = schema;
  for (let left = maxReferences; isJsonObject(found) && typeof found.$ref === "string"; left--) {
    if (left === 0 || !found.$ref.startsWith("#/")) return undefined;
    const keys = found.$ref.split("/").slice(1).map(unescapePointer);
    found = keys.reduce<JsonValue | undefined>(
      (parent, key) => (isJsonObject(parent) ? own(parent, key) : undefined),
      root,
    );
  }
  return found;
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function typesOf(value: JsonValue): readonly JsonType[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value as "boolean" | "string" | "object"];
}

function coerceInside(value: JsonValue, schema: JsonObject, root: JsonObject): JsonValue {
  if (isJsonObject(value)) return coerceMembers(value, schema, root);
  if (!Array.isArray(value)) return value;
  const items = value.map((item) => coerce(item, schema.items, root));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function coerceMembers(value: JsonObject, schema: JsonObject, root: JsonObject): JsonObject {
  const members = Object.entries(value).map(
    ([name, member]) => [name, coerce(member, memberSchema(schema, name), root)] as const,
  );
  if (members.every(([name, member]) => member === value[name])) return value;
  return Object.fromEntries(members);
}

function memberSchema({ properties, additionalProperties }: JsonObject, name: string): JsonValue | undefined {
  return (isJsonObject(properties) ? own(properties, name) : undefined) ?? additionalProperties;
}

/** A number as JSON writes it. */
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the value of a type that another value spells without loss; `undefined` if it spells none. */
function spelled(value: JsonValue, type: JsonType, schema: JsonObject, root: JsonObject): JsonValue | undefined {
  switch (type) {
    case "integer":
    case "number":
      return typeof value === "string" ? spelledNumber(value.trim(), type) : undefined;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : undefined;
    case "string":
      // The text of 1.50 is no longer known.
      return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined;
    case "array":
      return (typeof value === "string" ? parsed(value, Array.isArray) : undefined) ?? listOf(value, schema, root);
    case "object":
      return typeof value === "string" ? parsed(value, isJsonObject) : undefined;
    case "null":
      return undefined;
    default:
      // A type that JSON Schema does not have.
      return undefined;
  }
}

function spelledNumber(text: string, type: "integer" | "number"): number | undefined {
  const number = numberPattern.test(text) ? Number(text) : Number.NaN;
  const isExact =
    Number.isSafeInteger(number) || (type === "number" && Number.isFinite(number) && !Number.isInteger(number));
  return isExact ? number : undefined;
}

function parsed<Wanted extends JsonValue>(
  text: string,
  isWanted: (value: unknown) => value is Wanted,
): Wanted | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isWanted(value) && !isDeeperThan(value, maxJsonLevels) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A list of a single value, if that may be an item of it. */
function listOf(value: JsonValue, { items }: JsonObject, root: JsonObject): JsonValue[] | undefined {
  const choices = choicesOf(items, root);
  const item = coerce(value, items, root);
  return choices.some(({ types }) => typesOf(item).some((type) => types.includes(type))) ? [item] : undefined;
}
