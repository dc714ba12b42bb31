// The arguments of a call: read from stdin or a frame, under the parameters' own names, checked, and what to say about the first
// that does not fit.

import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import { argumentsAsRead, isJsonObject, type JsonObject, textStart, unescapePointer } from "@ikigai/protocol";
import { waitForDescriptor } from "@ikigai/system";
import type { AnyTool, CompiledTool, ObjectSchema, SchemaViolation } from "./built-tool.ts";
import { InvalidCall, ToolFailure } from "./failure.ts";

/**
 * Reads all of stdin.
 *
 * @throws InvalidCall as `toArguments` does, and if it is not JSON.
 */
export function readArguments(compiled: CompiledTool, tool: ArgumentReader): Arguments {
  return toArguments(parseInput(readAll()), compiled, tool);
}

/** The JSON object in the bytes of stdin. @throws InvalidCall if it is something else. */
export function parseInput(bytes: Buffer): JsonObject {
  return checkObject(parse(decode(bytes)));
}

/** What a tool says about its arguments. */
type ArgumentReader = Pick<AnyTool, "parameters" | "aliases" | "accepts">;

/** The arguments of a call. */
export interface Arguments {
  readonly args: JsonObject;
  /** The names of unknown fields. */
  readonly ignored: readonly string[];
  /** The answer instead of a run, for a value that the schema does not allow. */
  readonly refusal?: ToolFailure | undefined;
}

/** @throws InvalidCall if the value is not a JSON object, or lacks a required parameter. */
export function toArguments(
  value: unknown,
  { check }: CompiledTool,
  { parameters, aliases = {}, accepts = [] }: ArgumentReader,
): Arguments {
  const reading = { parameters: parameters as unknown as JsonObject, aliases };
  const args = argumentsAsRead(withoutNulls(checkObject(value)), reading);
  const ignored = Object.keys(args).filter((name) => !accepts.includes(name) && !isKnown(name, parameters));
  // Not part of the type of `run`'s arguments then.
  if (parameters.additionalProperties === false) for (const name of ignored) delete args[name];
  if (check(args)) return { args, ignored };
  const violations = check.errors ?? [];
  const text = describeViolations(violations, args, parameters);
  const isMissing = violations.some(({ keyword, instancePath }) => keyword === "required" && instancePath === "");
  if (isMissing) throw new InvalidCall(text);
  return { args, ignored, refusal: new ToolFailure("INVALID_PARAMS", text) };
}

/** Whether the schema says something about a field. */
function isKnown(name: string, { properties, patternProperties = {}, additionalProperties = false }: ObjectSchema) {
  if (Object.hasOwn(properties, name) || additionalProperties !== false) return true;
  return Object.keys(patternProperties).some((pattern) => new RegExp(pattern, "u").test(name));
}

function readAll(): Buffer {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(stdinChunkBytes);
    const length = readStdin(chunk);
    // Most arguments arrive in one piece.
    if (length === 0) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
  }
}

/** Rejects bytes that are not UTF-8: replacement characters in a file name or content would be wrong. */
function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new InvalidCall("Expected a JSON object in UTF-8 on stdin, got bytes that are not UTF-8.");
}

function parse(text: string): unknown {
  if (text.trim() === "") throw new InvalidCall("Expected a JSON object on stdin, got nothing.");
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message quotes the text with its line ends; stderr gets one line.
    const reason = (error as Error).message.replaceAll(/\p{Cc}+/gu, " ");
    throw new InvalidCall(`Expected a JSON object on stdin: ${reason}.`);
  }
}

/** @throws InvalidCall if a value is not a JSON object. */
export function checkObject(value: unknown): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidCall(`Expected a JSON object on stdin, got ${describeValue(value)}.`);
}

/** Removes fields that are `null`, which count as absent. */
function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** The size of a read from stdin, in bytes: that of a pipe on Linux. */
export const stdinChunkBytes = 65_536;

/**
 * Reads some bytes from stdin, synchronously: opening `process.stdin` costs 7 ms. Returns how many; 0 at the end.
 *
 * @throws InvalidCall if stdin cannot be read.
 */
export function readStdin(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A directory, or a broken disk.
      if (code !== "EAGAIN") throw new InvalidCall(`Expected a JSON object on stdin, which cannot be read: ${code}.`);
      // The parent may have passed a non-blocking pipe.
      waitForDescriptor();
    }
  }
}

/** The longest quote of a value in a message, in characters. */
const maxQuotedLength = 60;

/** The most alternatives that a message names. */
const maxAlternatives = 4;

/**
 * Describes what an argument check found, in one line: `Expected "limit" to be an integer, got "2s" (string).` If there was a
 * choice, the line has what each alternative lacks.
 */
export function describeViolations(
  violations: readonly SchemaViolation[],
  args: JsonObject,
  parameters: object,
): string {
  const last = violations.at(-1);
  if (!last) return "The arguments do not fit the schema.";
  const describe = (violation: SchemaViolation) => describeViolation(violation, args, parameters);
  // What makes a choice fail comes before the choice.
  const alternatives = isChoice(last) ? violations.filter((violation) => !isChoice(violation)).map(describe) : [];
  return [...new Set(alternatives)].slice(0, maxAlternatives).join(" Or: ") || describe(last);
}

function isChoice({ keyword, params }: SchemaViolation): boolean {
  // oneOf also fails if several fit.
  return ["anyOf", "oneOf", "if"].includes(keyword) && !params.passingSchemas;
}

function describeViolation(violation: SchemaViolation, args: JsonObject, parameters: object) {
  const { instancePath, keyword, params } = violation;
  const path = instancePath.split("/").slice(1).map(unescapePointer);
  if (keyword === "required") return describeMissing([...path, String(params.missingProperty)], parameters);
  const value = path.reduce<unknown>((parent, key) => (parent as JsonObject | undefined)?.[key], args);
  const what = path.length === 0 ? "the arguments" : JSON.stringify(path.join("."));
  return `Expected ${what} to ${describeExpectation(violation, parameters)}, got ${describeValue(value)}.`;
}

/** Quotes a value in a message: its JSON, cut, and its type. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return `${cutJson(value)} (${Array.isArray(value) ? "array" : typeof value})`;
}

function cutJson(value: unknown): string {
  const text = typeof value === "object" || typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= maxQuotedLength ? text : `${textStart(text, maxQuotedLength)}…`;
}

function describeMissing(path: readonly string[], parameters: object): string {
  const { type = "value", description } = schemaAt(path, parameters as JsonObject, parameters as JsonObject) ?? {};
  const types = [type].flat().join(" or ");
  return `Expected ${JSON.stringify(path.join("."))} (${types}), which is missing${description ? `: ${description}` : ""}.`;
}

/** The schema of the value at a path. */
function schemaAt([key, ...path]: readonly string[], within: unknown, root: JsonObject): JsonObject | undefined {
  if (!isJsonObject(within)) return undefined;
  const { $ref, properties, items, prefixItems, additionalProperties, allOf = [], anyOf = [], oneOf = [] } = within;
  if (typeof $ref === "string") return schemaAt(key === undefined ? [] : [key, ...path], referred($ref, root), root);
  if (key === undefined) return within;
  const inner = [properties, prefixItems, items].map((schemas) => (schemas as JsonObject | undefined)?.[key]);
  for (const next of [...inner, items, additionalProperties]) {
    const found = schemaAt(path, next, root);
    if (found) return found;
  }
  const parts = [allOf, anyOf, oneOf].flat();
  return parts.map((part) => schemaAt([key, ...path], part, root)).find((found) => found);
}

/** What a reference within the schema leads to. */
function referred($ref: string, root: JsonObject): unknown {
  const keys = decodeURIComponent($ref).split("/").slice(1).map(unescapePointer);
  return keys.reduce<unknown>((parent, key) => (parent as JsonObject | undefined)?.[key], root);
}

function describeExpectation({ keyword, params, schemaPath }: SchemaViolation, parameters: object): string {
  const { limit, comparison, additionalProperty, unevaluatedProperty, propertyName, i, j, passingSchemas } = params;
  const inner = () => cutJson(referred(schemaPath, parameters as JsonObject) ?? `the schema in ${keyword}`);
  switch (keyword) {
    case "type":
      return `be ${[params.type].flat().map(withArticle).join(" or ")}`;
    case "enum":
      return `be ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(" or ")}`;
    case "const":
      return `be ${JSON.stringify(params.allowedValue)}`;
    case "pattern":
      return `match /${params.pattern}/`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `have no ${JSON.stringify(additionalProperty ?? unevaluatedProperty)}`;
    case "propertyNames":
      return `have no ${JSON.stringify(propertyName)}, which does not match ${inner()}`;
    case "false schema":
      return "be absent";
    case "multipleOf":
      return `be a multiple of ${params.multipleOf}`;
    case "not":
      return `not match ${inner()}`;
    case "contains":
      return `have ${describeCount(params)} ${inner()}`;
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return `have at most ${limit} ${limit === 1 ? "item" : "items"}`;
    case "uniqueItems":
      return `have no two equal items, as items ${j} and ${i} are`;
    case "oneOf":
      return `match one schema of oneOf, not both ${[passingSchemas].flat().join(" and ")}`;
    case "dependencies":
    case "dependentRequired":
      return `have ${JSON.stringify(params.missingProperty)} beside ${JSON.stringify(params.property)}`;
    default:
      if (limit === undefined) return `be valid (${keyword})`;
      return comparison ? `be ${comparison} ${limit}` : `have ${keyword} ${limit}`;
  }
}

/** How many items a list must contain: the beginning of a phrase that ends with their schema. */
function describeCount({ minContains = 1, maxContains }: Readonly<Record<string, unknown>>): string {
  if (maxContains !== undefined) return `${minContains} to ${maxContains} items that match`;
  return minContains === 1 ? "an item that matches" : `at least ${minContains} items that match`;
}

function withArticle(type: unknown): string {
  if (type === "null") return "null";
  return /^[aeiou]/.test(String(type)) ? `an ${type}` : `a ${type}`;
}
