// A connection to a server, whichever transport and version of the protocol it speaks. Below: what it prints on stderr, and the roots
// that it may ask for.

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { redact, tellingLine } from "@ikigai/system";
import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import type { ServerFacts } from "../server/server-file.ts";
import { BridgeError, errorWords, StatusFailure, shortened } from "./bridge-error.ts";
import { openHttp } from "./http/open-http.ts";
import { serverFailure } from "./http/server-failure.ts";
import type { ServerPlace } from "./server-place.ts";
import type { OpenTransport, TransportOptions } from "./server-transport.ts";
import { StdioServer } from "./stdio-server.ts";

/** A connection to a server. */
export interface Connection {
  readonly client: Client;
  readonly kind: "stdio" | "http" | "sse";
  /** Settles when the server has ended. */
  readonly ended: Promise<void>;
  /** Whether the server has asked for the project's directory. */
  readonly hasAskedForRoots: () => boolean;
  /** Settles when a server that has asked for it has had the time to take the answer in: it would judge a call by what it had before. */
  readonly rootsTaken: () => Promise<void>;
  /** How the server has ended, as a verb. */
  readonly howEnded: () => string;
  /** What explains the end of the server, one sentence; may be empty. */
  readonly lastWords: () => string;
  /** How long it took from its start to its first output, in milliseconds. */
  readonly startMs: () => number;
  /** Ends the server. */
  close(): Promise<void>;
}

export interface ConnectOptions extends TransportOptions {
  /** What is known about the server; without it, the bridge finds out the protocol. */
  readonly known?: Pick<ServerFacts, "era" | "discover" | "asksForRoots"> | undefined;
  /** The command with which the user can start the server by hand. */
  readonly tryCommand?: string | undefined;
  /** How long it may take to agree, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives up: the server is ended. */
  readonly signal?: AbortSignal | undefined;
}

/** How long a server has to ask for the project's directory before the first call, in milliseconds. */
const rootsMs = 250;

/** How long a server has to take in the project's directory, in milliseconds: it resolves the path before it counts. */
const takesRootsMs = 100;

/** How long an older server may leave a probe unanswered, in milliseconds: one that is fetched by npx starts slowly. */
const maxProbeMs = 20_000;

/** The part of the time for the connection that the probe may take. The rest is for the older way to begin. */
const probeShare = 1 / 3;

/**
 * Starts a server and agrees on a protocol.
 *
 * @throws BridgeError.
 */
export async function connect(place: ServerPlace, options: ConnectOptions): Promise<Connection> {
  const { known } = options;
  if (known) return attempt(place, options, priorOf(known));
  const lines = new UnrepeatedLines(options.log);
  const logged = { ...options, log: lines.push };
  try {
    return await attempt(place, logged, undefined);
  } catch (error) {
    const older = options.signal?.aborted ? undefined : olderOf(place, error);
    if (!older) throw error;
    lines.startAgain();
    // The second error would be about the older way, which the server need not have.
    return attempt(older, logged, { kind: "legacy" }).catch((second) => {
      throw older === place ? second : error;
    });
  }
}

/** How an older server is reached, if the error may be that of one. */
function olderOf(place: ServerPlace, error: unknown): ServerPlace | undefined {
  const { target } = place;
  // Some end when they get a request that they do not know.
  if (error instanceof BridgeError && error.code === "SERVICE_DIED") return place;
  if (!("url" in target) || target.type === "sse") return undefined;
  const isOlder = error instanceof StatusFailure && withoutStreamable.includes(error.status);
  return isOlder ? { ...place, target: { ...target, type: "sse" } } : undefined;
}

/** What a server with HTTP and SSE answers to a POST to its URL. */
const withoutStreamable = [400, 404, 405];

function priorOf({ era, discover }: Pick<ServerFacts, "era" | "discover">): PriorDiscovery {
  // It is what the library gave, as JSON.
  return era === "modern" ? { kind: "modern", discover: discover as never } : { kind: "legacy" };
}

async function attempt(
  place: ServerPlace,
  { known, tryCommand, timeoutMs, signal, ...options }: ConnectOptions,
  prior: PriorDiscovery | undefined,
): Promise<Connection> {
  const { target } = place;
  const opened = openTransport(place, options);
  const { transport, howEnded, lastWords, hasDied, startMs, close } = opened;
  // The library cannot be interrupted while it finds out the version.
  const giveUp = () => void close();
  signal?.addEventListener("abort", giveUp);
  const probeMs = prior === undefined ? Math.min(maxProbeMs, timeoutMs * probeShare) : 0;
  const client = new Client(
    { name: "ikigai", version: options.version },
    {
      capabilities: { roots: {} },
      inputRequired: { autoFulfill: false },
      ...(prior === undefined && { versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } } }),
    },
  );
  const asked = new Happening();
  let taken = Promise.resolve();
  client.setRequestHandler("roots/list", () => {
    asked.happen();
    taken = new Promise((settle) => setTimeout(settle, takesRootsMs));
    return projectRoots(place);
  });
  const ended = new Happening();
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.happen();
  };
  try {
    await client.connect(transport, {
      timeout: timeoutMs - probeMs,
      ...(prior && { prior }),
      ...(signal && { signal }),
    });
    if (known?.asksForRoots) await Promise.race([asked.done, ended.done, delay(rootsMs)]);
    // From now on the calls are cancelled first.
    signal?.removeEventListener("abort", giveUp);
  } catch (error) {
    // It may have ended just now, before its exit was noticed.
    await Promise.race([ended.done, delay(rootsMs)]);
    const isDead = hasDied() || isEnd(error);
    await close();
    throw await startFailure(place, error, { ...opened, isDead, tryCommand, timeoutMs });
  }
  return {
    client,
    kind: "url" in target ? target.type : "stdio",
    ended: ended.done,
    hasAskedForRoots: () => asked.isDone,
    rootsTaken: () => taken,
    howEnded,
    lastWords,
    startMs,
    close,
  };
}

interface FailedStart
  extends Pick<OpenTransport, "howEnded" | "lastWords" | "isExplained">,
    Pick<ConnectOptions, "tryCommand" | "timeoutMs"> {
  readonly isDead: boolean;
}

async function startFailure(
  place: ServerPlace,
  error: unknown,
  { isDead, tryCommand, timeoutMs, howEnded, lastWords, isExplained }: FailedStart,
): Promise<BridgeError> {
  const { name, target, secrets } = place;
  const known = "url" in target ? await serverFailure(place, error, "cannot be used") : undefined;
  if (known) return known;
  const { code = "" } = error as NodeJS.ErrnoException;
  const said = lastWords() === "" ? "" : ` ${lastWords()}`;
  const why = isUnknownMethod(error) ? "It does not answer as an MCP server." : errorWords(error, timeoutMs);
  if (code === "ENOENT" && "command" in target)
    return new BridgeError("SERVICE_DIED", `The MCP server ${name} cannot be started: ${target.command} not found.`);
  if (isDead) {
    const advice =
      tryCommand === undefined || isExplained() ? "" : ` Run the command yourself to see why: ${tryCommand}`;
    return new BridgeError("SERVICE_DIED", `The MCP server ${name} ${howEnded()} during startup.${said}${advice}`);
  }
  return new BridgeError("MCP_REQUEST_FAILED", redact(`The MCP server ${name} cannot be used: ${why}${said}`, secrets));
}

/** Whether an error of the library means that the server has ended. */
function isEnd(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/** Whether a program lacks the method that begins every connection; one that echoes its input says the same. */
function isUnknownMethod(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound;
}

function delay(ms: number): Promise<void> {
  return new Promise((settle) => setTimeout(settle, ms).unref());
}

/** Returns the transport to a server, which is not started yet. */
function openTransport(place: ServerPlace, options: TransportOptions): OpenTransport {
  const { target } = place;
  if ("url" in target) return openHttp(place, target, options);
  const stderr = new ServerStderr(place.secrets, options.log);
  const transport = new StdioServer(target, (text) => stderr.push(text));
  transport.onclose = () => {
    stderr.end();
    if (transport.fault !== "") options.log(`${place.name}: ${faultWords(transport, place)}\n`);
  };
  return {
    transport,
    howEnded: () => transport.howEnded,
    lastWords: () => faultWords(transport, place) || stderrWords(stderr, options) || stdoutWords(transport, place),
    isExplained: () => transport.fault !== "" || stderr.reason !== "",
    hasDied: () => transport.hasDied,
    startMs: () => transport.startMs,
    close: () => transport.close(),
  };
}

function faultWords(transport: StdioServer, place: ServerPlace): string {
  const { fault } = transport;
  return fault && `${fault} ${stdoutWords(transport, place)}`.trim();
}

function stderrWords({ reason, endsWithReason }: ServerStderr, { isLogShown }: TransportOptions): string {
  if (reason === "") return "";
  return isLogShown && endsWithReason ? "Its stderr is above." : `It printed: ${reason}`;
}

function stdoutWords({ strayLine }: StdioServer, { secrets }: ServerPlace): string {
  return strayLine && `It printed on stdout: "${shortened(redact(strayLine, secrets))}".`;
}

/** A line of a log is cut here, in characters. */
const maxLineLength = 8_192;

/** How much of the end is kept to be quoted, in characters: more than a stack trace has after its message. */
const maxEndLength = 16_384;

/** Passes on a server's stderr line by line, without secrets, and keeps its end. */
export class ServerStderr {
  readonly #secrets: readonly string[];
  readonly #write: (text: string) => void;
  #rest = "";
  #end = "";

  /** @param write gets whole lines. */
  constructor(secrets: readonly string[], write: (text: string) => void) {
    this.#secrets = secrets;
    this.#write = write;
  }

  /** The line that says why the server has ended; `""` if it printed none. */
  get reason(): string {
    return tellingLine(this.#end, "last");
  }

  /** Whether the line that says why is the last that it printed. */
  get endsWithReason(): boolean {
    return this.#end.trimEnd().split("\n").at(-1)?.trim() === this.reason;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
    // Without line breaks, a server could fill the memory.
    if (this.#rest.length > maxLineLength) this.end();
  }

  /** Takes the rest as a line. */
  end(): void {
    if (this.#rest !== "") this.#line(this.#rest);
    this.#rest = "";
  }

  #line(line: string): void {
    const clean = redact(line, this.#secrets).slice(0, maxLineLength);
    this.#end = `${this.#end}${clean}\n`.slice(-maxEndLength);
    this.#write(`${clean}\n`);
  }
}

/** How many lines of the first start are compared: more than a server prints before it has agreed on a protocol. */
const maxLines = 1_000;

/** What may differ from start to start: process ids, times, addresses. */
const numbers = /0x[\da-f]+|\d+/gi;

/**
 * Passes on the stderr of a server that is started twice. Lines that the second start prints as the first did, in the same order,
 * are left out.
 */
export class UnrepeatedLines {
  readonly #write: (text: string) => void;
  readonly #before: string[] = [];
  #isSecond = false;
  #at = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** What follows is from the second start. */
  startAgain(): void {
    this.#isSecond = true;
  }

  /** @param line with its newline. */
  readonly push = (line: string): void => {
    const bare = line.replaceAll(numbers, "0");
    if (!this.#isSecond) {
      if (this.#before.length < maxLines) this.#before.push(bare);
    } else if (this.#before[this.#at] === bare) {
      this.#at++;
      return;
    }
    this.#write(line);
  };
}

/** What a server gets that asks where the project is. */
export function projectRoots({ projectDir }: Pick<ServerPlace, "projectDir">) {
  return { roots: [{ uri: pathToFileURL(projectDir).href, name: basename(projectDir) }] };
}

/** Something that happens at most once, and can be waited for. */
export class Happening {
  #settle: () => void = () => {};
  #isDone = false;
  readonly done = new Promise<void>((settle) => {
    this.#settle = settle;
  });

  get isDone(): boolean {
    return this.#isDone;
  }

  happen(): void {
    this.#isDone = true;
    this.#settle();
  }
}
