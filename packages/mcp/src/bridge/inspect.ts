import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { redactJson } from "@ikigai/system";
import type { ListedTool } from "../definitions/listed-tool.ts";
import { seenText } from "../definitions/tool-schema-line.ts";
import { type AddedTool, readServerPackage, type ServerFacts } from "../server/server-file.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { callServer, checkArguments } from "./call-server.ts";
import { type Connection, connect } from "./connect.ts";
import { listTools, serverInfo } from "./list-tools.ts";
import { requestedPlace, type ServerPlace } from "./server-place.ts";

declare const IKIGAI_VERSION: string;

/** What a server says about itself, and how long it took. */
export interface Inspection {
  readonly facts: ServerFacts;
  readonly tools: readonly ListedTool[];
  /** How the server is reached: by a URL given as `http` it may be `sse`. */
  readonly transport: "stdio" | "http" | "sse";
  /** In milliseconds: until its first output, until both sides had agreed on a protocol, and the list. */
  readonly times: { readonly start: number; readonly handshake: number; readonly list: number };
  /** The call that the request wanted. */
  readonly call?: TestedCall;
}

/** How long a server has to ask for the project's directory, in milliseconds; the list is asked for meanwhile. */
const rootsMs = 250;

interface InspectContext {
  readonly env: NodeJS.ProcessEnv;
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Gets what the server prints on stderr. */
  readonly log: (text: string) => void;
}

/**
 * Starts a server, lists its tools, calls one of them if wanted, and ends it.
 *
 * @param request a JSON object with `name`, `entry`, `packageDir`, `dataDir`, `projectDir` and `timeoutMs`; for a call also `call`;
 *   `isLogShown` and `tryCommand` are as in `ConnectOptions`.
 * @returns an `Inspection`, or `{error, error_code}`.
 */
export async function inspect(request: JsonObject, { env, signal, log }: InspectContext): Promise<object> {
  const timeoutMs = Number(request.timeoutMs);
  let connection: Connection | undefined;
  try {
    const startedMs = performance.now();
    const wanted = readTestCall(request);
    const place = requestedPlace(request, env);
    const { isLogShown, tryCommand } = request;
    connection = await connect(place, {
      ...{ version: IKIGAI_VERSION, timeoutMs, signal, log, isLogShown: isLogShown === true },
      ...(typeof tryCommand === "string" && { tryCommand }),
    });
    const opened = connection;
    signal.addEventListener("abort", () => void opened.close());
    const connectedMs = performance.now();
    const tools = await listTools(connection, place, timeoutMs);
    const listedMs = performance.now();
    if (!connection.hasAskedForRoots()) await new Promise((settle) => setTimeout(settle, rootsMs));
    const start = connection.startMs();
    const call = wanted && (await makeTestCall(connection, place, wanted, signal));
    return {
      facts: factsOf(connection),
      tools,
      transport: connection.kind,
      times: { start, handshake: connectedMs - startedMs - start, list: listedMs - connectedMs },
      ...(call && { call }),
    } satisfies Inspection;
  } catch (error) {
    if (error instanceof BridgeError) return toErrorAnswer(error);
    return { error: (error as Error).message, error_code: "MCP_REQUEST_FAILED" };
  } finally {
    await connection?.close();
  }
}

function factsOf(connection: Connection): ServerFacts {
  const { client } = connection;
  const discover: unknown = client.getDiscoverResult();
  const instructions = client.getInstructions();
  const info = serverInfo(connection);
  return {
    era: client.getProtocolEra() ?? "legacy",
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    ...(isJsonObject(discover) && { discover }),
    ...(info && { serverInfo: info }),
    ...(instructions !== undefined && { instructions: seenText(instructions) }),
    asksForRoots: connection.hasAskedForRoots(),
    hasResources: client.getServerCapabilities()?.resources !== undefined,
  };
}

/** A call that the user wants to see, with the tool as it was added. */
interface TestCall {
  readonly tool: AddedTool;
  readonly arguments: JsonObject;
  readonly timeoutMs: number;
}

/** What a call gave. */
interface TestedCall {
  readonly ms: number;
  readonly answer: JsonObject;
}

/**
 * Reads `call` of a request: an object with `tool`, the name of a tool of the package, `arguments` and `timeoutMs`.
 *
 * @throws BridgeError if the tool would refuse the arguments; what reading the package throws.
 */
function readTestCall({ call, packageDir }: JsonObject): TestCall | undefined {
  if (!isJsonObject(call)) return undefined;
  const tool = readServerPackage(String(packageDir)).tools.tools.find((one) => one.tool === call.tool);
  if (!tool) throw new BridgeError("INVALID_PARAMS", `There is no tool ${JSON.stringify(call.tool)}.`);
  const given = isJsonObject(call.arguments) ? call.arguments : {};
  const checked = checkArguments(given, tool.definition.inputSchema);
  if ("refusal" in checked) throw new BridgeError("INVALID_PARAMS", checked.refusal);
  return { tool, arguments: checked.arguments, timeoutMs: Number(call.timeoutMs) };
}

/** Makes a call; one that fails has an error as its answer. @throws the signal's reason. */
async function makeTestCall(
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
