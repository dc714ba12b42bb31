// The arguments of a call: read from stdin or a frame, under the parameters' own names, and checked.
import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import { argumentsAsRead, type JsonObject } from "@ikigai/protocol";
import { waitForDescriptor } from "@ikigai/system";
import type { AnyTool, CompiledTool, ObjectSchema } from "./built-tool.ts";
import { describeValue, describeViolations } from "./describe-violation.ts";
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
