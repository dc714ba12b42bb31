import { isJsonObject, type JsonObject } from "@ikigai/protocol";

/** What a host sends to a service. */
export type Frame =
  | {
      readonly kind: "call";
      readonly id: string;
      readonly tool: string;
      readonly env: Readonly<Record<string, string>>;
      readonly arguments: unknown;
    }
  | { readonly kind: "cancel"; readonly id: string };

/** What arrived on stdin is not a frame. The message is one line for stderr. */
export class BrokenFrame extends Error {
  override readonly name = "BrokenFrame";
}

/** Reads a line. @throws BrokenFrame. */
export function readFrame(line: string): Frame {
  const { call: id, tool, env, arguments: args, cancel } = parse(line);
  if (typeof cancel === "string") return { kind: "cancel", id: cancel };
  if (typeof id !== "string" || typeof tool !== "string" || args === undefined || !isTextMap(env))
    throw new BrokenFrame('Expected a frame with "call", "tool", "env" and "arguments" on stdin.');
  return { kind: "call", id, tool, env, arguments: args };
}

function parse(line: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BrokenFrame("Expected a frame on stdin, got a line that is not JSON.");
  }
  if (isJsonObject(value)) return value;
  throw new BrokenFrame("Expected a frame on stdin, got something other than a JSON object.");
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}
