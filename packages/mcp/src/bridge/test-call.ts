import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { redactJson } from "@ikigai/system";
import { type AddedTool, readServerPackage } from "../server/server-file.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { callServer } from "./call-server.ts";
import { checkArguments } from "./check-arguments.ts";
import type { Connection } from "./connect.ts";
import type { ServerPlace } from "./server-place.ts";

/** A call that the user wants to see, with the tool as it was added. */
export interface TestCall {
  readonly tool: AddedTool;
  readonly arguments: JsonObject;
  readonly timeoutMs: number;
}

/** What a call gave. */
export interface TestedCall {
  readonly ms: number;
  readonly answer: JsonObject;
}

/**
 * Reads `call` of a request: an object with `tool`, the name of a tool of the package, `arguments` and `timeoutMs`.
 *
 * @throws BridgeError if the tool would refuse the arguments; what reading the package throws.
 */
export function readTestCall({ call, packageDir }: JsonObject): TestCall | undefined {
  if (!isJsonObject(call)) return undefined;
  const tool = readServerPackage(String(packageDir)).tools.tools.find((one) => one.tool === call.tool);
  if (!tool) throw new BridgeError("INVALID_PARAMS", `There is no tool ${JSON.stringify(call.tool)}.`);
  const given = isJsonObject(call.arguments) ? call.arguments : {};
  const checked = checkArguments(given, tool.definition.inputSchema);
  if ("refusal" in checked) throw new BridgeError("INVALID_PARAMS", checked.refusal);
  return { tool, arguments: checked.arguments, timeoutMs: Number(call.timeoutMs) };
}

/** Makes a call; one that fails has an error as its answer. @throws the signal's reason. */
export async function makeTestCall(
  connection: Connection,
  place: ServerPlace,
  call: TestCall,
  signal: AbortSignal,
): Promise<TestedCall> {
  const startedMs = performance.now();
  const answer = await callServer(connection, place, { ...call, signal, report: () => {} }).catch((error) => {
    if (error instanceof BridgeError) return toErrorAnswer(error);
    throw error;
  });
  return { ms: performance.now() - startedMs, answer: JSON.parse(redactJson(JSON.stringify(answer), place.secrets)) };
}
