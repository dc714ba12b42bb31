import { isJsonObject, type JsonObject, type JsonValue, unescapePointer } from "@ikigai/protocol";

/** How deep a value may be, in levels: a schema can contain itself. */
const maxDepth = 8;

/** The simplest texts of some formats. */
const formats: Readonly<Record<string, string>> = {
  date: "2024-02-29",
  "date-time": "2024-02-29T12:00:00Z",
  email: "sample@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * The simplest value that a schema allows, as far as it is easy to find; whether it fits has to be checked.
 *
 * @param root the schema that references begin in.
 */
export function sampleValue(schema: JsonValue | undefined, root: JsonObject, depth = 0): JsonValue {
  const whole = merged(isJsonObject(schema) ? schema : {}, root, depth);
  const { type, const: only, default: preset, enum: choices, examples, properties } = whole;
  const [first] = [only, preset, ...listed(choices), ...listed(examples)].filter((value) => value !== undefined);
  if (first !== undefined) return first;
  switch (Array.isArray(type) ? type[0] : (type ?? (properties && "object"))) {
    case "integer":
    case "number":
      return sampleNumber(whole);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return sampleList(whole, root, depth);
    case "object":
      return sampleObject(whole, root, depth);
    default:
      return sampleText(whole);
  }
}

/** The schema with what it refers to, and with everything that it combines; of several to choose from, the first. */
function merged(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if (depth > maxDepth) return own;
  const parts = [referred($ref, root), ...listed(allOf), listed(anyOf)[0], listed(oneOf)[0]].filter(isJsonObject);
  return parts.map((part) => merged(part, root, depth + 1)).reduce(joined, own);
}

function joined(one: JsonObject, other: JsonObject): JsonObject {
  const required = [...listed(one.required), ...listed(other.required)];
  const properties = { ...entriesOf(other.properties), ...entriesOf(one.properties) };
  return {
    ...other,
    ...one,
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

function referred($ref: JsonValue | undefined, root: JsonObject): JsonValue | undefined {
  if (typeof $ref !== "string" || !$ref.startsWith("#")) return undefined;
  const keys = decodeURIComponent($ref).split("/").slice(1).map(unescapePointer);
  return keys.reduce<JsonValue | undefined>((parent, key) => entriesOf(parent)[key], root);
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf }: JsonObject): number {
  const least = numberOr(minimum, typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : undefined) ?? 1;
  const start = Math.min(least, numberOr(maximum, undefined) ?? least);
  const step = numberOr(multipleOf, undefined);
  return step ? Math.ceil(start / step) * step : start;
}

function sampleText({ format, minLength, maxLength }: JsonObject): string {
  const text = formats[String(format)] ?? "sample";
  return text.padEnd(numberOr(minLength, 0) ?? 0, "e").slice(0, numberOr(maxLength, undefined));
}

function sampleList({ items, prefixItems, minItems }: JsonObject, root: JsonObject, depth: number): JsonValue[] {
  if (depth > maxDepth) return [];
  const places = [...listed(prefixItems), ...listed(items)];
  return Array.from({ length: numberOr(minItems, 0) ?? 0 }, (_, index) =>
    sampleValue(places[index] ?? items, root, depth + 1),
  );
}

function sampleObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) return {};
  const properties = entriesOf(schema.properties);
  const required = listed(schema.required).map(String);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const names = [
    ...required,
    ...optional.slice(0, Math.max(0, (numberOr(schema.minProperties, 0) ?? 0) - required.length)),
  ];
  return Object.fromEntries(names.map((name) => [name, sampleValue(properties[name], root, depth + 1)]));
}

function numberOr(value: JsonValue | undefined, otherwise: number | undefined): number | undefined {
  return typeof value === "number" ? value : otherwise;
}

function listed(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
