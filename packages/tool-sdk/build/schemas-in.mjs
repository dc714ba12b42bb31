// Walks through a schema.

/** The keywords whose value is a schema, a list of schemas (or, for some, a schema), and an object of schemas. */
const single = ["additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"];
const listed = ["allOf", "anyOf", "items", "oneOf", "prefixItems", "unevaluatedItems", "unevaluatedProperties"];
const named = ["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"];

/** The schema and all schemas inside it, each with its JSON Pointer. */
export function* schemasIn(schema, pointer = "") {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  yield { schema, pointer };
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = `${pointer}/${escaped(keyword)}`;
    if (listed.includes(keyword) && Array.isArray(value)) {
      for (const [index, one] of value.entries()) yield* schemasIn(one, `${inner}/${index}`);
    } else if (single.includes(keyword) || listed.includes(keyword)) yield* schemasIn(value, inner);
    else if (named.includes(keyword)) {
      for (const [name, one] of Object.entries(value ?? {})) yield* schemasIn(one, `${inner}/${escaped(name)}`);
    }
  }
}

function escaped(key) {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a JSON Pointer. */
export function valueAt(schema, pointer) {
  const keys = pointer.split("/").slice(1);
  return keys.reduce((value, key) => value?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], schema);
}
