import { coerceArguments, isJsonObject, type JsonObject, type JsonValue, kindOf } from "@ikigai/protocol";

/** The arguments to send, or why the call is refused. */
export type CheckedArguments = { readonly arguments: JsonObject } | { readonly refusal: string };

/**
 * Checks what a tool has to refuse itself: required parameters and the types of the others, at the top level. Drops a `null` that the
 * schema does not allow, which means an absent parameter, and what a server with a closed schema would reject. Reads values of a wrong type
 * as those that they spell.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): CheckedArguments {
  const { properties: declared, required, additionalProperties } = schema;
  const properties = isJsonObject(declared) ? declared : {};
  const isKnown = (name: string) => Object.hasOwn(properties, name);
  const kept = Object.entries(given).filter(([name, value]) => {
    if (!isKnown(name)) return additionalProperties !== false;
    return value !== null || typesOf(properties[name]).includes("null") || typesOf(properties[name]).length === 0;
  });
  const args = coerceArguments(Object.fromEntries(kept), schema);
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === "string" && !Object.hasOwn(args, name))
      return { refusal: `Expected ${JSON.stringify(name)} to be ${expectation(properties[name])}, got nothing.` };
  }
  for (const [name, value] of Object.entries(args)) {
    const types = isKnown(name) ? typesOf(properties[name]) : [];
    if (types.length > 0 && !types.some((type) => isOfType(value, type)))
      return {
        refusal: `Expected ${JSON.stringify(name)} to be ${expectation(properties[name])}, got ${kindOf(value)}.`,
      };
  }
  return { arguments: args };
}

/** The types that a schema names; none if it describes its values in another way. */
function typesOf(schema: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(schema)) return [];
  return [schema.type].flat().filter((type): type is string => typeof type === "string");
}

function expectation(schema: JsonValue | undefined): string {
  const types = typesOf(schema).filter((type) => type !== "null");
  if (types.length === 0) return "given";
  return types.map((type) => `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`).join(" or ");
}

/** A type that is not one of JSON Schema allows everything: the server decides. */
function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}
