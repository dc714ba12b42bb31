// The calls of a server's tools: those of a conversation, which may overlap, or one with a server of its own.
import { resolve } from "node:path";
import type { Progress } from "@ikigai/protocol";
import { redact, redactJson } from "@ikigai/system";
import { checkObject, InvalidCall, parseInput, reportProgress, runService } from "@ikigai/tool-sdk/internal";
import {
  type AddedTool,
  dataOfPackage,
  readServerPackage,
  recordFailure,
  type ServerPackage,
} from "../server/server-file.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { callServer, checkArguments, type ServerCall, serverTimeMs, untilHostEnds } from "./call-server.ts";
import { type Connection, connect } from "./connect.ts";
import { watchList } from "./inspect.ts";
import { type ServerPlace, serverPlace } from "./server-place.ts";

declare const IKIGAI_VERSION: string;

/** A server's package, and where its data is. */
export interface Bridge {
  readonly pack: ServerPackage;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Gets what the server prints on stderr. */
  readonly log: (text: string) => void;
}

/** @throws the system's error, a SyntaxError or a TypeError if the package is not usable. */
export function openBridge(packageDir: string, { env, log }: Pick<Bridge, "env" | "log">): Bridge {
  const path = resolve(packageDir);
  return { pack: readServerPackage(path), dataDir: env.IKIGAI_DATA_DIR || dataOfPackage(path), env, log };
}

/** A server that answers. */
interface Opened {
  readonly connection: Connection;
  readonly place: ServerPlace;
}

/** Answers the calls of a conversation from one server, until the host or the server ends. */
export function serve(bridge: Bridge): Promise<never> {
  const { name } = bridge.pack.server;
  return runService<Opened>({
    name,
    async open({ signal, progress }) {
      progress({ progress: 0, message: `${name}: starting` });
      const opened = await open(bridge, signal);
      watchList(bridge, opened.connection, opened.place);
      return opened;
    },
    answer({ frame, state, stop, progress }) {
      const { env } = frame;
      const tool = addedTool(bridge, frame.tool);
      const args = argumentsOf(tool, checkObject(frame.arguments));
      const call = { tool, arguments: args, timeoutMs: serverTimeMs(env), signal: stop.signal() };
      return answer(state, call, { env, progress });
    },
    close: ({ connection }) => connection.close(),
    ended: ({ connection }) => connection.ended,
  });
}

/**
 * Makes one call with a server of its own: starts it, calls, ends it.
 *
 * @param input what stdin had.
 * @returns the answer as JSON.
 * @throws InvalidCall if the call is refused; the reason of `signal`, which ends it.
 */
export async function callOnce(bridge: Bridge, tool: AddedTool, input: Buffer, signal: AbortSignal): Promise<string> {
  const { env } = bridge;
  const startedMs = performance.now();
  const args = argumentsOf(tool, parseInput(input));
  let opened: Opened | undefined;
  try {
    opened = await open(bridge, signal);
    const timeoutMs = Math.max(1, serverTimeMs(env) - (performance.now() - startedMs));
    const call = { tool, arguments: args, timeoutMs, signal };
    return await answer(opened, call, { env, progress: reportProgress(env.IKIGAI_PROGRESS_FD) });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BridgeError)) throw error;
    return JSON.stringify(toErrorAnswer(error));
  } finally {
    await opened?.connection.close();
  }
}

/** @throws InvalidCall if the server has no such tool. */
export function addedTool({ pack: { server, tools } }: Bridge, name: string): AddedTool {
  const tool = tools.tools.find((one) => one.tool === name);
  if (tool) return tool;
  throw new InvalidCall(`The MCP server ${server.name} has no tool ${JSON.stringify(name)}.`);
}

function argumentsOf({ definition }: AddedTool, given: ReturnType<typeof checkObject>) {
  const checked = checkArguments(given, definition.inputSchema);
  if ("refusal" in checked) throw new InvalidCall(checked.refusal);
  return checked.arguments;
}

/** The time that a server has to start, in milliseconds: what a host allows a service. */
const startMs = 59_000;

/** Starts the server of a package. @throws BridgeError; the reason of `signal`. */
async function open({ pack: { path, server }, dataDir, env, log }: Bridge, signal: AbortSignal): Promise<Opened> {
  const { name, entry, isLiteral = false, isTemporary } = server;
  const projectDir = env.IKIGAI_PROJECT_DIR || process.cwd();
  const place = serverPlace({
    ...{ name, entry, packageDir: path, dataDir, env, projectDir, isLiteral },
    // The login of a server is stored in its data, which this one has for one conversation only.
    ...(isTemporary && { loginCommand: `ikigai mcp add ${name} URL` }),
  });
  const options = { version: IKIGAI_VERSION, known: server, timeoutMs: startMs, signal, log };
  try {
    return { connection: await connect(place, options), place };
  } catch (error) {
    signal.throwIfAborted();
    if (isTemporary) recordFailure(dataDir);
    throw error;
  }
}

/** Where a call came from. */
interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly progress: (update: Progress) => void;
}

/** The answer of a server, or what went wrong, as JSON without its secrets. @throws the reason of the call's signal. */
async function answer(
  { connection, place }: Opened,
  call: Omit<ServerCall, "report">,
  { env, progress }: Caller,
): Promise<string> {
  const { secrets } = place;
  const report = ({ message, ...numbers }: Progress) =>
    progress({ ...numbers, ...(message !== undefined && { message: redact(message, secrets) }) });
  try {
    return redactJson(JSON.stringify(await callServer(connection, place, { ...call, report })), secrets);
  } catch (error) {
    call.signal.throwIfAborted();
    const known =
      error instanceof BridgeError ? error : new BridgeError("MCP_REQUEST_FAILED", (error as Error).message);
    if (known.code === "TOOL_TIMEOUT") await untilHostEnds(env, call.signal);
    call.signal.throwIfAborted();
    return redactJson(JSON.stringify(toErrorAnswer(known)), secrets);
  }
}
