import { isUtf8 } from "node:buffer";
import { type JsonObject, renameAliases, unescapePointer } from "@ikigai/protocol";
import type { AnyTool, ObjectSchema } from "./any-tool.ts";
import type { CompiledTool, SchemaViolation } from "./compiled.ts";
import { describeValue, describeViolations } from "./describe-violation.ts";
import { InvalidCall } from "./invalid-call.ts";
import { readStdin, stdinChunkBytes } from "./read-stdin.ts";

/**
 * Reads all of stdin.
 *
 * @throws InvalidCall if it is not a JSON object that the tool's schema allows.
 */
export function readArguments(compiled: CompiledTool, tool: ArgumentReader): Arguments {
  return toArguments(parse(decode(readAll())), compiled, tool);
}

/** What a tool says about its arguments. */
type ArgumentReader = Pick<AnyTool, "parameters" | "aliases" | "refuseUnknown">;

/** The arguments of a call. */
export interface Arguments {
  readonly args: JsonObject;
  /** The names of unknown fields. */
  readonly ignored: readonly string[];
  /** Why the tool must not run without regard to them: a sentence. */
  readonly refusal?: string | undefined;
}

/** @throws InvalidCall if the value is not a JSON object that the tool's schema allows. */
export function toArguments(
  value: unknown,
  { check }: CompiledTool,
  { parameters, aliases = {}, refuseUnknown }: ArgumentReader,
): Arguments {
  const args = withoutNulls(renameAliases(checkObject(value), aliases));
  const ignored = Object.keys(args).filter((name) => !isKnown(name, parameters));
  const refusal = ignored.length > 0 ? refuseUnknown?.(args) : undefined;
  // Not part of the type of `run`'s arguments then.
  if (parameters.additionalProperties === false) for (const name of ignored) delete args[name];
  if (check(args)) return { args, ignored, refusal };
  const violations = check.errors ?? [];
  const coerced = withCoercions(args, check);
  if (coerced) return { args: coerced, ignored, refusal };
  throw new InvalidCall(describeViolations(violations, args, parameters));
}

/** The most values that are coerced in one call: each takes another check of all arguments. */
const maxCoercions = 50;

/** Returns arguments that fit the schema once numbers and booleans that small models write as strings are read as such, if they do. */
function withCoercions(args: JsonObject, check: CompiledTool["check"]): JsonObject | undefined {
  const copy = structuredClone(args);
  for (let left = maxCoercions; left > 0; left--) {
    const violation = check.errors?.at(-1);
    if (violation?.keyword !== "type" || !coerceAt(copy, violation)) return undefined;
    if (check(copy)) return copy;
  }
  return undefined;
}

/** Replaces the string at a violation by the value of the expected type that it spells; `false` if it spells no such value. */
function coerceAt(args: JsonObject, { instancePath, params }: SchemaViolation): boolean {
  const path = instancePath.split("/").slice(1).map(unescapePointer);
  const last = path.pop();
  const holder = path.reduce<unknown>((parent, key) => (parent as JsonObject | undefined)?.[key], args) as JsonObject;
  const text = last === undefined ? undefined : holder[last];
  if (last === undefined || typeof text !== "string") return false;
  const types = [params.type].flat();
  const isNumber = types.some((type) => type === "integer" || type === "number") && /^-?\d+(?:\.\d+)?$/.test(text);
  const isBoolean = types.includes("boolean") && (text === "true" || text === "false");
  if (isNumber) holder[last] = Number(text);
  else if (isBoolean) holder[last] = text === "true";
  return isNumber || isBoolean;
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

function checkObject(value: unknown): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidCall(`Expected a JSON object on stdin, got ${describeValue(value)}.`);
}

/** Removes fields that are `null`, which count as absent. */
function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
