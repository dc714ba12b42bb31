import { isJsonObject } from "@ikigai/protocol";
import { deserializeMessage, type JSONRPCMessage } from "@modelcontextprotocol/client";

/** The error of JSON-RPC for an invalid message. */
const invalid = { code: -32_600, message: "its response is not one of MCP" };

/**
 * Reads a line. One that is not a message is not meant for us: many servers print a greeting. But a call must not wait for an answer
 * that has come and is invalid.
 */
export function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    const id = idOf(line);
    return id === undefined ? undefined : { jsonrpc: "2.0", id, error: invalid };
  }
}

/** The id in a line that is meant as a response. */
function idOf(line: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isJsonObject(value) || "method" in value) return undefined;
    return typeof value.id === "string" || typeof value.id === "number" ? value.id : undefined;
  } catch {
    return undefined;
  }
}
