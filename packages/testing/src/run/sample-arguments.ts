// The parameters of a tool's schema, and arguments that fit it: of each value the simplest.

import {
  isJsonObject,
  isOlderForm,
  type JsonObject,
  type JsonValue,
  readObjectSchema,
  unescapePointer,
} from "@ikigai/protocol";

/** The required parameters, with their schemas. */
export function requiredParameters(schema: JsonObject): [name: string, schema: JsonObject][] {
  const { properties, required } = objectSchemaOf(schema);
  return (Array.isArray(required) ? required : []).map((name) => {
    const property = isJsonObject(properties) ? properties[String(name)] : undefined;
    return [String(name), isJsonObject(property) ? property : {}];
  });
}

/** All parameters with their schemas, the required ones first. */
export function allParameters(schema: JsonObject): [name: string, schema: JsonObject][] {
  const required = requiredParameters(schema);
  const { properties } = objectSchemaOf(schema);
  const optional = Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([name]) => !required.some(([one]) => one === name))
    .map(([name, property]): [string, JsonObject] => [name, isJsonObject(property) ? property : {}]);
  return [...required, ...optional];
}

/** Valid arguments: the required parameters, each with the simplest value that its schema allows. */
export function sampleArguments(schema: JsonObject): JsonObject {
  const { default: _, examples: __, ...parameters } = objectSchemaOf(schema);
  const sample = sampleValue({ ...parameters, type: "object" }, parameters);
  return isJsonObject(sample) ? sample : {};
}

/** A value that a schema does not allow and that spells none of its values, if there is one. */
export function wrongValue({ type, items }: JsonObject): JsonValue | undefined {
  // A tool may take a single object for a list of objects.
  if (type === "array" && isJsonObject(items) && items.type === "object") return 1.5;
  if (type === "string" || type === "integer" || type === "number" || type === "boolean" || type === "array") return {};
  return type === "object" ? "text" : undefined;
}

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

/** The parameters in a schema; MCP calls them `inputSchema`. */
export function parametersOf(schema: JsonObject): JsonValue | undefined {
  return schema.parameters ?? schema.inputSchema;
}

/** The parameters as a host reads them, in either form; empty if a host rejects them. */
export function objectSchemaOf(schema: JsonObject): JsonObject {
  const reading = readObjectSchema(parametersOf(schema));
  return "schema" in reading ? reading.schema : {};
}

/** The schema of the parameter with this name. */
export function parameterCalled(name: JsonValue, schema: JsonObject): JsonValue | undefined {
  const parameters = parametersOf(schema);
  if (typeof name !== "string" || !isJsonObject(parameters)) return undefined;
  const properties = isOlderForm(parameters) ? parameters : parameters.properties;
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
