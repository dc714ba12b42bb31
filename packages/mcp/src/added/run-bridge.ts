// Runs the program that speaks MCP for a command: to list a server's tools, to call one of them, to log in and out.
import { createInterface } from "node:readline";
import { markedProcess } from "@ikigai/core/internal";
import type { JsonObject } from "@ikigai/protocol";
import { beforeExit, shellWord, startProgram } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import type { Inspection } from "../bridge/inspect.ts";
import { isStdio, type ServerEntry } from "../server/server-entry.ts";
import { serverTarget } from "../server/server-file.ts";

/** Where a command works, and with what. */
export interface BridgeContext {
  readonly places: { readonly home: string; readonly projectDir: string };
  readonly env: NodeJS.ProcessEnv;
  /** The program that speaks MCP, and the version of ikigai. */
  readonly bridge: { readonly path: string; readonly version: string };
  /** Gets what the server prints on stderr. */
  readonly log: (text: string) => void;
}

/** What to start, and where. */
export interface InspectRequest {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly packageDir: string;
  /** The directory that it runs in, which also has its secrets. */
  readonly dataDir: string;
  /** The command that logs the user in. */
  readonly loginCommand?: string;
  /** The command that starts it by hand; absent if its program is not kept. */
  readonly tryCommand?: string | undefined;
  /** A call to make, of a tool as the model calls it. */
  readonly call?: { readonly tool: string; readonly arguments: JsonObject };
}

/** How long a server may take to list its tools, in milliseconds: the first start by npx fetches it. */
const listMs = 60_000;

/** How long a call may take, in milliseconds: as long as one of a conversation. */
const callMs = 120_000;

/** How long the program that speaks MCP has to say itself that it was too long, in milliseconds. */
const reserveMs = 3_000;

/** How long it then gets to end, in milliseconds. */
const graceMs = 5_000;

/**
 * Starts a server, lists its tools, makes the call of the request if there is one, and ends it.
 *
 * @throws Refusal if it cannot be used.
 */
export async function inspectServer(request: InspectRequest, context: BridgeContext): Promise<Inspection> {
  const { child, ended } = startBridge("inspect", context);
  const { projectDir } = context.places;
  const timeoutMs = listMs + (request.call ? callMs : 0);
  let isLate = false;
  const term = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, timeoutMs + reserveMs);
  const kill = setTimeout(() => child.kill("SIGKILL"), timeoutMs + reserveMs + graceMs);
  let answer = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  const call = request.call && { ...request.call, timeoutMs: callMs };
  child.stdin.end(JSON.stringify({ ...request, projectDir, isLogShown: true, call, timeoutMs: listMs }));
  try {
    await ended;
  } finally {
    clearTimeout(term);
    clearTimeout(kill);
  }
  if (isLate)
    throw new Refusal(
      `The MCP server ${request.name} did not ${request.call ? "answer" : "list its tools"} within ${timeoutMs / 1_000} s.`,
    );
  return toInspection(answer, request.name);
}

function toInspection(answer: string, name: string): Inspection {
  let value: Inspection | BridgeError;
  try {
    value = JSON.parse(answer);
  } catch {
    throw new Refusal(`Cannot list the tools of the MCP server ${name}: the program that speaks MCP failed.`);
  }
  if ("error" in value) {
    const [step] = value.help?.steps ?? [];
    throw new Refusal(step === undefined ? value.error : `${value.error} Run: ${step}`);
  }
  return value;
}

/** The program that speaks MCP, running for a command. */
export interface BridgeProcess {
  readonly child: ReturnType<typeof spawnBridge>;
  /** Settles when it has ended, and what its server has left running. @throws the system's error if it cannot be started. */
  readonly ended: Promise<unknown>;
}

/** Starts the program that speaks MCP. It ends with ikigai, and its PATH finds no server of the project, as that of a tool. */
export function startBridge(verb: "inspect" | "login" | "logout", context: BridgeContext): BridgeProcess {
  const marked = markedProcess("bridge");
  const child = spawnBridge(verb, context, marked.env);
  const leave = beforeExit(() => {
    child.kill("SIGTERM");
    return ended;
  });
  child.stderr.setEncoding("utf8").on("data", context.log);
  // It says itself why it could not read.
  child.stdin.on("error", () => {});
  const ended = new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("close", settle);
  })
    .then(() => marked.killLeft(child.pid ?? 0))
    .finally(leave);
  return { child, ended };
}

function spawnBridge(verb: string, { env, places, bridge }: BridgeContext, marks: NodeJS.ProcessEnv) {
  const { IKIGAI_SERVE: _, ...own } = env;
  const options = { env: { ...own, ...marks }, projectDir: places.projectDir };
  return startProgram(process.execPath, [bridge.path, verb], options, "pipe", "pipe", "pipe");
}

/** An answer of the program that speaks MCP. */
export interface BridgeError {
  readonly error: string;
  readonly help?: { readonly steps: readonly string[] };
}

/** The lines of a login or logout, until it ends. @throws the system's error if the program cannot be started. */
export async function* bridgeEvents<Event>({ child, ended }: BridgeProcess): AsyncGenerator<Event> {
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
  await ended;
}

/** The option of a command whose value is a key, which everyone on the machine can read. */
export function keyOption(args: readonly string[]): string | undefined {
  return args.find((word) => /^-[\w-]*(?:key|token|secret|password)(?:=.|$)/i.test(word));
}

/** The command that starts a server by hand, without a key; `undefined` for a URL, and for a package that is not kept. */
export function tryCommand(entry: ServerEntry, npm: string | undefined): string | undefined {
  if (!isStdio(entry) || npm !== undefined) return undefined;
  return keyOption(entry.args) === undefined ? serverTarget({ entry }) : `${shellWord(entry.command)} …`;
}
