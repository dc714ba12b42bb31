import { isJsonObject, type JsonObject, type Progress } from "@ikigai/protocol";
import { redact } from "@ikigai/system";
import {
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Progress as ServerProgress,
} from "@modelcontextprotocol/client";
import type { AddedTool } from "../server/server-file.ts";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connect.ts";
import { serverFailure } from "./http/server-failure.ts";
import { saveBelow } from "./saved-files.ts";
import type { ServerPlace } from "./server-place.ts";
import { resourceText, toAnswer } from "./to-answer.ts";
import { untilComplete } from "./until-complete.ts";

/** A call of a server's tool. */
export interface ServerCall {
  readonly tool: AddedTool;
  readonly arguments: JsonObject;
  /** How long it may take, in milliseconds. Progress does not extend it. */
  readonly timeoutMs: number;
  /** Cancels it, also on the server. */
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
}

/**
 * Makes one call, once: the library would repeat one that it gives no definition of.
 *
 * @returns the answer.
 * @throws BridgeError; the signal's reason.
 */
export async function callServer(connection: Connection, place: ServerPlace, call: ServerCall): Promise<JsonObject> {
  const { signal, report, tool } = call;
  const options = (timeoutMs: number) => ({
    signal,
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
    onprogress: (progress: ServerProgress) => report(toProgress(progress)),
    allowInputRequired: true,
  });
  try {
    if (tool.isResource) return await readResources(connection, place, call, options);
    const { name, inputSchema } = tool.definition;
    // Without the schema of the answer, which the library would check and then drop the answer.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
    const result = await untilComplete(place, call, (answers, timeoutMs) => {
      const params = { name, arguments: call.arguments, ...answers };
      return connection.client.callTool(params, { ...options(timeoutMs), toolDefinition });
    });
    return toAnswer(result, saveBelow(place.dataDir));
  } catch (error) {
    signal.throwIfAborted();
    throw await callFailure(connection, place, error);
  }
}

/** Lists the resources of a server, or reads one. */
async function readResources(
  { client }: Connection,
  place: ServerPlace,
  call: ServerCall,
  options: (timeoutMs: number) => RequestOptions,
): Promise<JsonObject> {
  const { uri } = call.arguments;
  const cacheMode = "bypass";
  const save = saveBelow(place.dataDir);
  if (typeof uri === "string") {
    const { contents } = await untilComplete(place, call, (answers, timeoutMs) =>
      client.readResource({ uri, ...answers }, { ...options(timeoutMs), cacheMode }),
    );
    const parts = Array.isArray(contents) ? contents.filter(isJsonObject) : [];
    return { output: parts.map((part) => resourceText(part, save)).join("\n") };
  }
  const { resources } = await untilComplete(place, call, (_, timeoutMs) =>
    client.listResources(undefined, { ...options(timeoutMs), cacheMode }),
  );
  const lines = (Array.isArray(resources) ? resources.filter(isJsonObject) : []).map(
    ({ uri: address, name, description }) =>
      [address, name, description].filter((part) => typeof part === "string").join("  "),
  );
  return { output: lines.join("\n") };
}

async function callFailure(connection: Connection, place: ServerPlace, error: unknown): Promise<unknown> {
  const { name, secrets, target } = place;
  const known = "url" in target ? await serverFailure(place, error, "failed") : undefined;
  if (known) return known;
  if (error instanceof BridgeError) return error;
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    const last = connection.lastLine();
    return new BridgeError(
      "SERVICE_DIED",
      `The MCP server ${name} exited during the call.${last === "" ? "" : ` It printed: ${last}`}`,
    );
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new BridgeError("TOOL_TIMEOUT", `The MCP server ${name} did not answer in time. The call was cancelled.`);
  if (error instanceof ProtocolError)
    return new BridgeError(
      "MCP_REQUEST_FAILED",
      redact(`The MCP server ${name} answered with error ${error.code}: ${error.message}`, secrets),
    );
  if (error instanceof SdkError)
    return new BridgeError("MCP_REQUEST_FAILED", redact(`The MCP server ${name} failed: ${error.message}`, secrets));
  return error;
}

/** The fields of a progress report that the protocol has. */
function toProgress({ progress, total, message }: ServerProgress): Progress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}
