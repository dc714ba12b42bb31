import { isJsonObject, type JsonObject, type JsonValue, type Progress } from "@ikigai/protocol";
import { redact } from "@ikigai/system";
import { ProtocolError, SdkError, SdkErrorCode, type Progress as ServerProgress } from "@modelcontextprotocol/client";
import type { AddedTool } from "../server/server-file.ts";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connect.ts";
import { serverFailure } from "./http/server-failure.ts";
import { saveBelow } from "./saved-files.ts";
import type { ServerPlace } from "./server-place.ts";
import { resourceText, toAnswer } from "./to-answer.ts";

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
  const { signal, timeoutMs, report } = call;
  const options = {
    signal,
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
    onprogress: (progress: ServerProgress) => report(toProgress(progress)),
  };
  try {
    if (call.tool.isResource) return await readResources(connection, place, call, options);
    const { name, inputSchema } = call.tool.definition;
    const result: unknown = await connection.client.callTool(
      { name, arguments: call.arguments },
      // Without the schema of the answer, which the library would check and then drop the answer.
      {
        ...options,
        allowInputRequired: true,
        toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
      },
    );
    const plain = toJson(result);
    if (plain.resultType === "input_required") throw inputRequired(place, plain);
    return toAnswer(plain, saveBelow(place.dataDir));
  } catch (error) {
    signal.throwIfAborted();
    throw await callFailure(connection, place, error);
  }
}

/** Lists the resources of a server, or reads one. */
async function readResources(
  { client }: Connection,
  { dataDir }: ServerPlace,
  { arguments: { uri } }: ServerCall,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<JsonObject> {
  if (typeof uri === "string") {
    const { contents } = toJson(await client.readResource({ uri }, { ...options, cacheMode: "bypass" }));
    const parts = Array.isArray(contents) ? contents.filter(isJsonObject) : [];
    return { output: parts.map((part) => resourceText(part, saveBelow(dataDir))).join("\n") };
  }
  const { resources } = toJson(await client.listResources(undefined, { ...options, cacheMode: "bypass" }));
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
      `The MCP server ${name} ended during the call.${last === "" ? "" : ` It printed: ${last}`}`,
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

/** The questions of a server that wants to know something before it goes on: a call cannot ask the user. */
function inputRequired({ name }: ServerPlace, { inputRequests }: JsonObject): BridgeError {
  const questions = Object.values(isJsonObject(inputRequests) ? inputRequests : {}).flatMap((request) => {
    const { method, params } = isJsonObject(request) ? request : {};
    const { message } = isJsonObject(params) ? params : {};
    return [typeof message === "string" ? message : String(method ?? "")];
  });
  return new BridgeError("INPUT_REQUIRED", `The MCP server ${name} asks: ${questions.join(" ")}`);
}

/** The fields of a progress report that the protocol has. */
function toProgress({ progress, total, message }: ServerProgress): Progress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}

/** The library's results are JSON, with types of its own. */
function toJson(value: unknown): JsonObject {
  return isJsonObject(value) ? value : { value: value as JsonValue };
}
