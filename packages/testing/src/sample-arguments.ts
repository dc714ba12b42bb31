import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { objectSchemaOf } from "./parameters-of.ts";

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

/** Valid arguments: the required parameters, each with the simplest value of its type. */
export function sampleArguments(schema: JsonObject): JsonObject {
  return Object.fromEntries(requiredParameters(schema).map(([name, parameter]) => [name, sample(parameter)]));
}

/** A value that a schema does not allow, if there is one. */
export function wrongValue({ type }: JsonObject): JsonValue | undefined {
  if (type === "string" || type === "integer" || type === "number" || type === "boolean" || type === "array") return {};
  return type === "object" ? "text" : undefined;
}

function sample(schema: JsonObject): JsonValue {
  const { type, default: preset, enum: choices, examples, minimum } = schema;
  const [first] = [schema.const, preset, ...listed(choices), ...listed(examples)].filter(
    (value) => value !== undefined,
  );
  if (first !== undefined) return first;
  switch (Array.isArray(type) ? type[0] : type) {
    case "integer":
    case "number":
      return typeof minimum === "number" ? minimum : 1;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return sampleArguments({ parameters: schema });
    default:
      return "sample";
  }
}

function listed(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
