import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import { type ArgumentAliases, type JsonObject, renameAliases } from "@ikigai/protocol";
import { waitForDescriptor } from "@ikigai/system";
import type { CompiledTool } from "./compiled.ts";
import type { ObjectSchema } from "./define-tool.ts";
import { describeValue, describeViolation } from "./describe-violation.ts";

/** The arguments are invalid. The message is one line for stderr; the exit code is 1. */
export class InvalidCall extends Error {
  override readonly name = "InvalidCall";
}

/** The size of a read from stdin, in bytes: that of a pipe on Linux. */
const chunkBytes = 65_536;

/**
 * Reads all of stdin, synchronously: opening `process.stdin` costs 7 ms.
 *
 * @throws InvalidCall if it is not a JSON object that the tool's schema allows.
 */
export function readArguments(tool: CompiledTool, parameters: ObjectSchema, aliases?: ArgumentAliases): Arguments {
  return toArguments(readStdin(), tool, parameters, aliases);
}

/** The arguments of a call. */
export interface Arguments {
  readonly args: JsonObject;
  /** The names of unknown fields. */
  readonly ignored: readonly string[];
}

/** @throws InvalidCall if the bytes are not a JSON object that the tool's schema allows. */
export function toArguments(
  bytes: Buffer,
  { check }: CompiledTool,
  parameters: ObjectSchema,
  aliases: ArgumentAliases = {},
): Arguments {
  const args = withoutNulls(renameAliases(parseObject(decode(bytes)), aliases));
  const ignored = Object.keys(args).filter((name) => !Object.hasOwn(parameters.properties, name));
  if (check(args)) return { args, ignored };
  const violation = check.errors?.[0];
  throw new InvalidCall(
    violation ? describeViolation(violation, args, parameters) : "The arguments do not fit the schema.",
  );
}

function readStdin(): Buffer {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const length = readSome(chunk);
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

function readSome(chunk: Buffer): number {
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

function parseObject(text: string): JsonObject {
  if (text.trim() === "") throw new InvalidCall("Expected a JSON object on stdin, got nothing.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The message quotes the text with its line ends; stderr gets one line.
    const reason = (error as Error).message.replaceAll(/\p{Cc}+/gu, " ");
    throw new InvalidCall(`Expected a JSON object on stdin: ${reason}.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidCall(`Expected a JSON object on stdin, got ${describeValue(value)}.`);
}

/** Removes fields that are `null`, which count as absent. */
function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
