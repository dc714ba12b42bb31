// The frames that a host writes to a process that answers several calls.
import { isUtf8 } from "node:buffer";
import { type CallFrame, type CancelFrame, isJsonObject, type JsonObject } from "@ikigai/protocol";

/** What arrived on the stdin of a process that answers several calls is not a frame. The message is one line for stderr. */
export class BrokenFrame extends Error {
  override readonly name = "BrokenFrame";
}

/** A call as it arrives: its arguments are not checked yet. */
export type UncheckedCall = Omit<CallFrame, "arguments"> & { readonly arguments: unknown };

/** Why a frame is broken that the end of stdin has cut. */
export const endedEarly = "Expected a frame on stdin, which ended before its newline.";

/** Reads a line as a JSON object. @throws BrokenFrame if it is something else. */
export function parseFrame(line: Buffer): JsonObject {
  if (!isUtf8(line)) throw new BrokenFrame("Expected a frame in UTF-8 on stdin.");
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    throw new BrokenFrame("Expected a frame on stdin, got a line that is not JSON.");
  }
  if (isJsonObject(value)) return value;
  throw new BrokenFrame("Expected a frame on stdin, got something other than a JSON object.");
}

/** Reads a frame as a call. @throws BrokenFrame if it is another or none. */
export function toCall({ call, tool, env, arguments: args }: JsonObject): UncheckedCall {
  if (typeof call !== "string" || typeof tool !== "string" || args === undefined || !isTextMap(env))
    throw new BrokenFrame('Expected a frame with "call", "tool", "env" and "arguments" on stdin.');
  return { call, tool, env, arguments: args };
}

/** Reads a frame of a service. @throws BrokenFrame if it is not one. */
export function toCallOrCancel(frame: JsonObject): UncheckedCall | CancelFrame {
  return typeof frame.cancel === "string" ? { cancel: frame.cancel } : toCall(frame);
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}
