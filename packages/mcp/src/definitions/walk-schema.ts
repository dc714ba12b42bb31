import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";

/** Keywords whose values map names to schemas: a parameter may be called `description`. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose values are data, not schemas. */
const data = new Set(["const", "default", "enum", "examples", "required", "dependentRequired"]);

/** Returns a copy of a JSON Schema in which `change` has replaced the keywords of each schema in it, from the outside in. */
export function walkSchema(schema: JsonObject, change: (keywords: JsonObject) => JsonObject): JsonObject {
  const entries = Object.entries(change(schema)).map(([key, value]): [string, JsonValue] => {
    if (data.has(key)) return [key, value];
    if (maps.has(key) && isJsonObject(value)) return [key, mapped(value, (one) => below(one, change))];
    return [key, below(value, change)];
  });
  return Object.fromEntries(entries);
}

function below(value: JsonValue, change: (keywords: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one) => below(one, change));
  return isJsonObject(value) ? walkSchema(value, change) : value;
}

function mapped(map: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** A schema directly inside another one. */
interface Subschema {
  /** The keyword that it is in. */
  readonly keyword: string;
  readonly schema: JsonObject;
}

/** The schemas directly inside a JSON Schema; the value of an unknown keyword may be one. */
export function* subschemas(schema: JsonObject): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (data.has(keyword)) continue;
    const found = maps.has(keyword) && isJsonObject(value) ? Object.values(value) : [value].flat();
    for (const one of found) if (isJsonObject(one)) yield { keyword, schema: one };
  }
}
