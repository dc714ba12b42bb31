// Reads what a tool prints for `--schema`: what is wrong with it, in its author's words, or the schema in one form.

import { isJsonObject, type JsonObject, type JsonValue, kindOf, textStart } from "./json.ts";
import { keywordProblem } from "./keyword-problem.ts";
import { readToolNeeds } from "./needs.ts";
import { serviceNamePattern } from "./serve-frames.ts";
import { readToolAccess, type ToolAnnotations, type ToolExtensions, type ToolSchema } from "./tool-schema.ts";

/** A tool's schema in the form a host uses. */
export interface KnownSchema {
  /** Normalized: aliases and the older parameter form are resolved. */
  readonly schema: ToolSchema;
  /** Oddities, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the answer to `--schema`, or says why it cannot be used. Never throws.
 *
 * @param declared the object that `--schema` printed.
 * @param name the tool's name from its file, which overrides the schema's own.
 *
 * @example
 * const reading = readToolSchema(JSON.parse(stdout), "weather");
 * if ("problem" in reading) console.error(reading.problem);
 * else console.log(reading.schema.parameters);
 */
export function readToolSchema(declared: JsonObject, name: string): KnownSchema | { readonly problem: string } {
  const { name: ownName, description = "", title } = declared;
  if (declared.type === "function" && isJsonObject(declared.function))
    return { problem: 'it has the form of the OpenAI API: print only the object inside "function"' };
  if (typeof ownName !== "string") return { problem: `expected "name" to be a string, got ${kindOf(ownName)}` };
  if (typeof description !== "string") {
    return { problem: `expected "description" to be a string, got ${kindOf(description)}` };
  }
  if (isTooDeep(declared)) return { problem: `it is nested deeper than ${maxSchemaDepth} levels` };
  const parameters = readObjectSchema(declared.parameters ?? declared.inputSchema);
  const problem = "problem" in parameters ? parameters.problem : schemaProblem(parameters.schema);
  if ("problem" in parameters || problem !== undefined) return { problem: `"parameters": ${problem}` };
  const answer = readObjectSchema(declared.outputSchema ?? declared.returns);
  const annotations = readAnnotations(declared.annotations);
  const ikigai = readExtensions(declared.ikigai);
  const needs = ikigai && needsOf(declared.ikigai);
  if (needs && "problem" in needs) return needs;
  const schema: ToolSchema = {
    name,
    description,
    parameters: parameters.schema,
    ...(typeof title === "string" && { title }),
    ...("schema" in answer && { outputSchema: answer.schema }),
    ...(annotations && { annotations }),
    ...(ikigai && { ikigai: { ...ikigai, ...needs } }),
  };
  return { schema, warnings: oddities(ownName, name, description) };
}

function schemaProblem(parameters: JsonObject): string | undefined {
  return keywordProblem(parameters) ?? referenceProblem(parameters);
}

function oddities(ownName: string, name: string, description: string): string[] {
  const warnings: string[] = [];
  if (ownName !== name)
    warnings.push(`Its schema names it ${JSON.stringify(ownName)}, but its file name decides: ${name}.`);
  if (description === "") warnings.push("Its schema has no description, so models must guess what it does.");
  return warnings;
}

type Test = (value: JsonValue) => boolean;

const isText: Test = (value) => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isCount: Test = (value) => Number.isInteger(value) && (value as number) > 0;
const isTextList: Test = (value) => Array.isArray(value) && value.every(isText);

const annotationTests: Record<keyof ToolAnnotations, Test> = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
};

const extensionTests: Record<keyof ToolExtensions, Test> = {
  version: isText,
  timeoutMs: isCount,
  timeoutArgument: isText,
  maxOutputBytes: isCount,
  answerBytes: isCount,
  needs: isJsonObject,
  prestart: isFlag,
  serves: isFlag,
  service: (value) => typeof value === "string" && serviceNamePattern.test(value),
  varies: isTextList,
  agent: isFlag,
  catalog: isFlag,
  defer: isFlag,
  host: isTextList,
  jobs: isFlag,
  state: isFlag,
  diagnostics: (value) => isJsonObject(value) && Object.values(value).every(isTextList),
  access: (value) => readToolAccess(value) !== undefined,
};

/** Reads the annotations a host knows. Drops unknown and mistyped ones: an annotation must never disable a tool. */
function readAnnotations(declared: JsonValue | undefined): ToolAnnotations | undefined {
  return keep(declared, annotationTests);
}

/** Reads the extensions a host knows, with the same tolerance. */
function readExtensions(declared: JsonValue | undefined): ToolExtensions | undefined {
  return keep(declared, extensionTests);
}

/** The needs of a schema; nothing if it has none. */
function needsOf(declared: JsonValue | undefined): Pick<ToolExtensions, "needs"> | { readonly problem: string } {
  return isJsonObject(declared) && declared.needs !== undefined ? readToolNeeds(declared.needs) : {};
}

function keep(declared: JsonValue | undefined, tests: Record<string, Test>): JsonObject | undefined {
  if (!isJsonObject(declared)) return undefined;
  return Object.fromEntries(
    Object.entries(declared).filter(([key, value]) => Object.hasOwn(tests, key) && tests[key]?.(value)),
  );
}

/** A JSON Schema of type `object`, or why it is not one: the end of a sentence. */
type SchemaReading = { readonly schema: JsonObject } | { readonly problem: string };

/**
 * Reads a tool's parameters: a JSON Schema of type `object`, or the
 * older map from names to types with `"required": true` in each.
 *
 * A boolean `required` inside a property is accepted in both and moved to the object's list: model servers reject it, and a
 * single such tool would make every request fail.
 *
 * @throws RangeError if it is nested thousands of levels deep: check `isTooDeep` first, as `readToolSchema` does.
 */
export function readObjectSchema(declared: JsonValue | undefined): SchemaReading {
  if (!isJsonObject(declared)) return { problem: `expected a JSON Schema, got ${kindOf(declared)}` };
  if (isOlderForm(declared)) return { schema: hoistRequired({ type: "object", properties: declared }) };
  if (!hasKeyword(declared))
    return { problem: `expected a JSON Schema, got ${textStart(JSON.stringify(declared), 60)}` };
  const { type = "object", properties = {} } = declared;
  if (type !== "object") return { problem: `expected a JSON Schema of type "object", got ${JSON.stringify(type)}` };
  if (!isJsonObject(properties)) return { problem: `expected "properties" to be an object, got ${kindOf(properties)}` };
  const { required } = declared;
  if (required !== undefined && typeof required !== "boolean" && !isNameList(required)) {
    return { problem: 'expected "required" to be a list of names' };
  }
  return { schema: hoistRequired({ ...declared, type, properties }) };
}

/** Keywords that identify a JSON Schema without a `type`. */
const keywords = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "description",
  "oneOf",
  "properties",
  "required",
  "title",
]);

function hasKeyword(declared: JsonObject): boolean {
  return Object.keys(declared).some((key) => key === "type" || key.startsWith("$") || keywords.has(key));
}

/**
 * Returns whether parameters have the older form, a map from names to types: `{"city": {"type": "string", "required": true}}`.
 *
 * In the older form every value is an object that describes a parameter; in a JSON Schema `type` is a string, and `properties`
 * is a map of parameters. Never throws.
 */
export function isOlderForm(declared: JsonObject): boolean {
  const { properties } = declared;
  if (isJsonObject(properties) && typeof properties.type !== "string") return false;
  return Object.entries(declared).every(([key, value]) => isJsonObject(value) && !key.startsWith("$"));
}

/** Keywords whose value is a schema or a list of schemas, and those with a map of schemas. Others, such as `enum`, hold data. */
const schemaKeywords = new Set(
  (
    "items additionalItems prefixItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties " +
    "allOf anyOf oneOf not if then else"
  ).split(" "),
);
const schemaMaps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Moves each property's `"required": true` into its object's list, at every level. */
function hoistRequired(schema: JsonObject): JsonObject {
  const { properties, required: own } = schema;
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  const hoisted = named.flatMap(([name, property]) =>
    isJsonObject(property) && property.required === true ? [name] : [],
  );
  const required = [...new Set([...(isNameList(own) ? own : []), ...hoisted])];
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (key === "required" && isJsonObject(properties)) return [];
    if (schemaKeywords.has(key)) return [[key, Array.isArray(value) ? value.map(hoistedIn) : hoistedIn(value)]];
    if (!schemaMaps.has(key) || !isJsonObject(value)) return [[key, value]];
    return [[key, mapValues(value, (one) => hoistedIn(key === "properties" ? withoutFlag(one) : one))]];
  });
  return { ...Object.fromEntries(entries), ...(required.length > 0 && { required }) };
}

function hoistedIn(value: JsonValue): JsonValue {
  return isJsonObject(value) ? hoistRequired(value) : value;
}

function withoutFlag(property: JsonValue): JsonValue {
  if (!isJsonObject(property) || typeof property.required !== "boolean") return property;
  const { required: _, ...bare } = property;
  return bare;
}

function mapValues(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function isNameList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

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
function referenceProblem(root: JsonObject): string | undefined {
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
