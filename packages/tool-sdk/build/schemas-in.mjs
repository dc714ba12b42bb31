// Walks through a schema.

/** The keywords whose value is a schema, a list of schemas (or, for some, a schema), and an object of schemas. */
const single = ["additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"];
const listed = ["allOf", "anyOf", "items", "oneOf", "prefixItems", "unevaluatedItems", "unevaluatedProperties"];
const named = ["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"];

/**
 * The schema and all schemas inside it, each with its JSON Pointer, and whether a default in it is filled in: in a property or one of a
 * list of items, outside `anyOf` and `oneOf`.
 */
export function* schemasIn(schema, pointer = "", isFilled = false, isChoice = false) {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  yield { schema, pointer, isFilled: isFilled && !isChoice };
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = `${pointer}/${escaped(keyword)}`;
    const isOneOfSeveral = isChoice || keyword === "anyOf" || keyword === "oneOf";
    if (listed.includes(keyword) && Array.isArray(value)) {
      const isItem = keyword === "items" || keyword === "prefixItems";
      for (const [index, one] of value.entries()) yield* schemasIn(one, `${inner}/${index}`, isItem, isOneOfSeveral);
    } else if (single.includes(keyword) || listed.includes(keyword)) yield* schemasIn(value, inner, false, isChoice);
    else if (named.includes(keyword)) {
      for (const [name, one] of Object.entries(value ?? {}))
        yield* schemasIn(one, `${inner}/${escaped(name)}`, keyword === "properties", isChoice);
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
