import { isUtf8 } from "node:buffer";
import { type CallFrame, isJsonObject, type JsonObject } from "@ikigai/protocol";

/** What arrived on stdin is not a frame. The message is one line for stderr. */
export class BrokenFrame extends Error {
  override readonly name = "BrokenFrame";
}

/** A call as it arrives: its arguments are not checked yet. */
export type UncheckedCall = Omit<CallFrame, "arguments"> & { readonly arguments: unknown };

/** Why a frame is broken that the end of stdin has cut. */
export const endedEarly = "Expected a frame on stdin, which ended before its newline.";

/** Reads a line as a JSON object. @throws BrokenFrame if it is something else. */
export function parseFrame(line: Buffer): JsonObject {
  const frame = parse(line);
  if (isJsonObject(frame)) return frame;
  throw new BrokenFrame("Expected a frame on stdin, got something other than a JSON object.");
}

/** Reads a frame as a call. @throws BrokenFrame if it is another or none. */
export function toCall({ call, tool, env, arguments: args }: JsonObject): UncheckedCall {
  if (typeof call !== "string" || typeof tool !== "string" || args === undefined || !isTextMap(env))
    throw new BrokenFrame('Expected a frame with "call", "tool", "env" and "arguments" on stdin.');
  return { call, tool, env, arguments: args };
}

function parse(line: Buffer): unknown {
  if (!isUtf8(line)) throw new BrokenFrame("Expected a frame in UTF-8 on stdin.");
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    throw new BrokenFrame("Expected a frame on stdin, got a line that is not JSON.");
  }
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}
