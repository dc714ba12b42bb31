// What a server has: its tools, listed page by page and watched for changes, its resources, and what it says about itself.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeeperThan, isJsonObject, type JsonObject, textStart } from "@ikigai/protocol";
import { redactJson } from "@ikigai/system";
import { ProtocolError, type StandardSchemaV1 } from "@modelcontextprotocol/client";
import { seenText } from "../definitions/define-tools.ts";
import { type ListedTool, readListedTool } from "../definitions/listed-tool.ts";
import {
  type AddedTool,
  changesSince,
  readServerPackage,
  recordChanges,
  type ServerFacts,
  type ServerPackage,
} from "../server/server-file.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { callServer, checkArguments, requestFailure } from "./call-server.ts";
import { type Connection, connect } from "./connect.ts";
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

/** More than any server has. */
const maxListed = 5_000;
const maxPages = 64;
const maxListedBytes = 16 * 1_048_576;

/** Deeper than any real definition, in levels. */
const maxDepth = 1_000;

/** The schema of every result: the library would reject the whole list for one tool in it that is invalid. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "ikigai",
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: "Expected an object." }] }),
  },
};

/** Asks a server for all of its tools. @throws BridgeError if there is no end of them, and the errors of the library. */
export async function listTools(
  connection: Connection,
  place: ServerPlace,
  timeoutMs: number,
): Promise<readonly ListedTool[]> {
  const { client } = connection;
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const untilMs = performance.now() + timeoutMs;
  const listed: ListedTool[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = Math.max(1, untilMs - performance.now());
    const { tools, nextCursor } = await client
      .request({ method: "tools/list", params }, anyObject, { timeout })
      .catch(async (error) => {
        throw await requestFailure(connection, place, error, "list");
      });
    for (const tool of Array.isArray(tools) ? tools : []) {
      const read = readListedTool(tool);
      // One that is nested too deeply to be counted is left out later.
      if (!read || isDeeperThan(tool, maxDepth)) continue;
      bytes += JSON.stringify(read).length;
      listed.push(read);
    }
    if (listed.length > maxListed || bytes > maxListedBytes) break;
    if (typeof nextCursor !== "string" || nextCursor === cursor) return listed;
    cursor = nextCursor;
  }
  throw new BridgeError(
    "MCP_REQUEST_FAILED",
    `The tool list of the MCP server ${place.name} is too long: more than ${maxListed} tools, ${maxPages} pages or ${maxListedBytes} bytes.`,
  );
}

/** The server's own name and version, if it has told them in a usable form. */
export function serverInfo({ client }: Connection): { readonly name: string; readonly version: string } | undefined {
  const info: unknown = client.getServerVersion();
  if (!isJsonObject(info) || typeof info.name !== "string") return undefined;
  const { name, version } = info;
  return { name: textStart(name, maxInfo), version: typeof version === "string" ? textStart(version, maxInfo) : "" };
}

/** How much of its own name and version counts, in characters. */
const maxInfo = 100;

/** How long the list may take, in milliseconds. */
const listMs = 30_000;

/** The shortest time between two lists, in milliseconds: a server may say at any rate that its tools have changed. */
const pauseMs = 1_000;

/** How long to wait before a stream of notifications is opened again, at first and at most, in milliseconds. */
const [reopenMs, maxReopenMs] = [1_000, 600_000];

/** Compares the server's list with the added tools, now and whenever the server says that it has changed; records the difference. */
export function watchList(
  { pack, dataDir }: { readonly pack: ServerPackage; readonly dataDir: string },
  connection: Connection,
  place: ServerPlace,
): void {
  const look = once(async () => {
    try {
      const listed = await listTools(connection, place, listMs);
      recordChanges(dataDir, changesSince(pack.server, pack.tools, listed));
    } catch {
      // The next start looks again.
    }
  });
  connection.client.setNotificationHandler("notifications/tools/list_changed", look);
  look();
  void subscribe(connection, look);
}

/** Returns a function that starts some work, and repeats it once if it is wanted again meanwhile. */
function once(work: () => Promise<void>): () => void {
  let [isRunning, isWanted] = [false, false];
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
      await sleep(pauseMs, undefined, { ref: false });
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}

/** Asks for notifications, as the protocol of 2026 demands, for as long as the server takes the request. */
async function subscribe({ client, ended }: Connection, look: () => void): Promise<void> {
  if (client.getProtocolEra() !== "modern" || !client.getServerCapabilities()?.tools?.listChanged) return;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (let waitMs = reopenMs; !isOver; waitMs = Math.min(2 * waitMs, maxReopenMs)) {
    const openedMs = performance.now();
    try {
      const { closed } = await client.listen({ toolsListChanged: true }, { timeout: listMs });
      await closed;
    } catch (error) {
      // It does not want to.
      if (error instanceof ProtocolError) return;
    }
    if (performance.now() - openedMs > waitMs) waitMs = reopenMs;
    await sleep(waitMs, undefined, { ref: false });
    // It may have changed meanwhile.
    if (!isOver) look();
  }
}
