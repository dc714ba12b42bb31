import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** Deeper than any real schema, in levels, and shallow enough for recursive programs. */
export const maxSchemaDepth = 64;

/** Returns whether a schema is nested too deep. Never throws. */
export function isTooDeep(root: JsonValue): boolean {
  return isDeeperThan(root, maxSchemaDepth);
}

/** Returns whether a value has more than this many levels. Iterative: a text of 8 KiB can have 4,000. Never throws. */
export function isDeeperThan(root: JsonValue, levels: number): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

/** Returns the problem of the first local `$ref` that is dangling or circular; `undefined` if all resolve. */
export function referenceProblem(root: JsonObject): string | undefined {
  for (const start of valuesIn(root)) {
    const visited = new Set<JsonValue>();
    let value: JsonValue = start;
    while (isJsonObject(value) && isLocal(value.$ref)) {
      if (visited.has(value)) return `$ref ${JSON.stringify(value.$ref)} is circular`;
      visited.add(value);
      const target = resolve(root, value.$ref);
      if (target === undefined) return `$ref ${JSON.stringify(value.$ref)} points to nothing`;
      value = target;
    }
  }
  return undefined;
}

function valuesIn(root: JsonValue): JsonValue[] {
  const values = [root];
  for (const value of values) values.push(...childrenOf(value));
  return values;
}

function childrenOf(value: JsonValue): JsonValue[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function isLocal(reference: JsonValue | undefined): reference is string {
  return typeof reference === "string" && reference.startsWith("#");
}

function resolve(root: JsonObject, reference: string): JsonValue | undefined {
  const pointer = reference.slice(1);
  // `#name` is an anchor: left to the model's server.
  if (pointer !== "" && !pointer.startsWith("/")) return true;
  const keys = pointer.split("/").slice(1);
  return keys.reduce<JsonValue | undefined>((value, key) => childOf(value, unescapePointer(decoded(key))), root);
}

function childOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Array.isArray(value) ? value[Number(key)] : value[key];
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A lone % means itself.
    return fragment;
  }
}

/** Decodes a JSON Pointer segment. Never throws. */
export function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
