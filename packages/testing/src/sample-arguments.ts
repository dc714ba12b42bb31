import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { objectSchemaOf } from "./parameters-of.ts";
import { sampleValue } from "./sample-value.ts";

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
