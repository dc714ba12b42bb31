import { type CancelFrame, isJsonObject, parseFrame, toCallOrCancel, type UncheckedCall } from "@ikigai/protocol";
import { redactJson } from "@ikigai/system";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { callServer, checkArguments, serverTimeMs, untilHostEnds } from "./call-server.ts";
import { type Connection, Happening } from "./connect.ts";
import { watchList } from "./list-tools.ts";
import { type Bridge, connectPackage } from "./open-bridge.ts";
import type { ServerPlace } from "./server-place.ts";

/** The wire of a service. */
interface ServiceWire {
  /** The lines of stdin, to be read at once: its end means that the host is gone. */
  readonly lines: AsyncIterable<string>;
  /** Writes one object as a line to stdout. */
  readonly write: (line: string) => void;
  readonly log: (text: string) => void;
}

/** Calls that are open. */
type OpenCalls = Map<string, AbortController>;

/**
 * Answers the calls of a conversation from one server. Ends when stdin ends or the server does; what is then still open gets no
 * answer, and the host says why.
 *
 * @returns the exit code.
 * @throws BrokenFrame.
 */
export async function serve(bridge: Bridge, { lines, write, log }: ServiceWire): Promise<number> {
  const { server } = bridge.pack;
  write(JSON.stringify({ progress: { progress: 0, message: `${server.name}: starting` } }));
  const input = new FrameQueue(lines);
  let opened: Awaited<ReturnType<typeof connectPackage>>;
  try {
    opened = await connectPackage(bridge, { log, signal: input.ended });
  } catch (error) {
    if (input.ended.aborted) return 0;
    if (!(error instanceof BridgeError)) throw error;
    write(JSON.stringify(toErrorAnswer(error)));
    return 0;
  }
  const { connection, place } = opened;
  write('{"ready":true}');
  watchList(bridge, connection, place);
  const open: OpenCalls = new Map();
  let isOver = false;
  const died = connection.ended.then(() => {
    isOver = true;
    return 1;
  });
  const reply = (line: string) => {
    if (!isOver) write(redactJson(line, place.secrets));
  };
  const taken = input.take((frame) => {
    if ("cancel" in frame) open.get(frame.cancel)?.abort();
    else void answer(frame, { bridge, connection, place, open, reply }).catch((error) => log(`${String(error)}\n`));
  });
  try {
    return await Promise.race([died, taken]);
  } finally {
    // If the host is gone, the server gets the cancellations before it is ended.
    isOver = true;
    for (const call of open.values()) call.abort();
    await connection.close();
  }
}

interface Answering {
  readonly bridge: Bridge;
  readonly connection: Connection;
  readonly place: ServerPlace;
  readonly open: OpenCalls;
  readonly reply: (line: string) => void;
}

async function answer(frame: UncheckedCall, answering: Answering): Promise<void> {
  const { bridge, connection, place, open, reply } = answering;
  const { call: id, env } = frame;
  const refuse = (refused: string) => reply(JSON.stringify({ call: id, refused }));
  const tool = bridge.pack.tools.tools.find((one) => one.tool === frame.tool);
  if (!tool) return refuse(`The MCP server ${place.name} has no tool ${JSON.stringify(frame.tool)}.`);
  if (!isJsonObject(frame.arguments)) return refuse("Expected a JSON object, got another JSON value.");
  const checked = checkArguments(frame.arguments, tool.definition.inputSchema);
  if ("refusal" in checked) return refuse(checked.refusal);
  const abort = new AbortController();
  const { signal } = abort;
  open.set(id, abort);
  try {
    const report = (progress: object) => reply(JSON.stringify({ call: id, progress }));
    const call = { tool, arguments: checked.arguments, timeoutMs: serverTimeMs(env), signal, report };
    const result = await callServer(connection, place, call);
    reply(JSON.stringify({ call: id, answer: result }));
  } catch (error) {
    const known = failureOf(error, signal);
    // The process ends now, and the host says what that means for the call.
    if (known.code === "SERVICE_DIED") return;
    if (known.code === "TOOL_TIMEOUT") await untilHostEnds(env, signal);
    reply(JSON.stringify({ call: id, answer: toErrorAnswer(known) }));
  } finally {
    open.delete(id);
  }
}

function failureOf(error: unknown, signal: AbortSignal): BridgeError {
  if (signal.aborted) return new BridgeError("TOOL_CANCELLED", "The call was cancelled.");
  return error instanceof BridgeError ? error : new BridgeError("MCP_REQUEST_FAILED", (error as Error).message);
}

/** Reads frames from the start, so that the end of stdin is noticed while the server starts; passes them on when they are wanted. */
class FrameQueue {
  readonly #waiting: string[] = [];
  readonly #abort = new AbortController();
  readonly #over = new Happening();
  #take: ((line: string) => void) | undefined;
  #failure: unknown;

  constructor(lines: AsyncIterable<string>) {
    void this.#read(lines);
  }

  /** Aborted when stdin has ended. */
  get ended(): AbortSignal {
    return this.#abort.signal;
  }

  /** Passes on the frames until stdin ends; returns the exit code. @throws BrokenFrame. */
  async take(use: (frame: UncheckedCall | CancelFrame) => void): Promise<number> {
    this.#take = (line) => use(toCallOrCancel(parseFrame(line)));
    try {
      for (const line of this.#waiting.splice(0)) this.#take(line);
    } catch (error) {
      this.#fail(error);
    }
    await this.#over.done;
    if (this.#failure !== undefined) throw this.#failure;
    return 0;
  }

  async #read(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) {
        if (this.#take) this.#take(line);
        else this.#waiting.push(line);
      }
      this.#end();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#end();
  }

  #end(): void {
    this.#over.happen();
    this.#abort.abort();
  }
}
