// One agent as a process: started with its task, followed line by line, stopped when its time is up. Below: its command line, and the
// rights that the host gives it.

import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import {
  type HostReply,
  type HostRequestErrorCode,
  isJsonObject,
  type JsonObject,
  maxHostLineBytes,
  maxHostRequests,
  progressFd,
} from "@ikigai/protocol";
import {
  HeadAndTail,
  isInside,
  lineReader,
  parseObject,
  pathOutsideProject,
  wordsOutsideProject,
} from "@ikigai/system";
import { type AgentEnd, AgentFailure, type AgentState, newState, takeLine } from "./agent-events.ts";

export interface RunAgentOptions {
  /** Aborts when the call is stopped. */
  readonly signal: AbortSignal;
  /** When to stop the agent, in milliseconds from now. */
  readonly timeMs: number;
  /** What the agent may ask the host of this call for, as `IKIGAI_HOST_METHODS` names it. Default: nothing. */
  readonly methods?: string | undefined;
  /** Called after each line. */
  readonly onChange: (state: AgentState) => void;
}

/** How much of stderr is kept, in bytes. */
const maxStderrBytes = 4_096;

/**
 * Runs an agent until it ends. Stopped, it ends its own tools first.
 *
 * @throws the system's error if it cannot be started.
 */
export async function runAgent(command: AgentCommand, task: string, options: RunAgentOptions): Promise<AgentEnd> {
  const { signal, timeMs, methods, onChange } = options;
  const state = newState();
  const child = spawnAgent(command, methods);
  const stderr = new HeadAndTail(maxStderrBytes);
  child.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
  const closed = untilClosed(child);
  createInterface({ input: child.stdout }).on("line", (line) => {
    takeLine(state, line);
    onChange(state);
  });
  // One that ends before it has read its task says why on stderr.
  child.stdin.on("error", () => {}).end(task);
  let isLate = false;
  const stop = () => child.kill("SIGTERM");
  const late = () => {
    isLate = true;
    stop();
  };
  const timer = stoppableTimer(timeMs, late);
  if (methods) relayRequests(child.stdio[3] as Duplex, timer);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return { state, exit: await closed, stderr: stderr.toText(), isLate };
  } finally {
    timer.stop();
    signal.removeEventListener("abort", stop);
  }
}

/** Starts an agent. One that may ask gets a descriptor 3, as a tool does. */
function spawnAgent({ program, args, cwd, env }: AgentCommand, methods: string | undefined) {
  if (!methods) return spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const asking = { ...env, IKIGAI_HOST_METHODS: methods };
  return spawn(program, args, { cwd, env: asking, stdio: ["pipe", "pipe", "pipe", "pipe"] });
}

/** Calls a function once its time has passed, in milliseconds; `stop` makes the time stand still. */
function stoppableTimer(timeMs: number, late: () => void): AgentClock {
  let leftMs = Math.max(timeMs, 0);
  let startedMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const clock = {
    start() {
      startedMs = performance.now();
      if (Number.isFinite(leftMs)) timer = setTimeout(late, leftMs);
    },
    stop() {
      clearTimeout(timer);
      leftMs -= performance.now() - startedMs;
    },
  };
  clock.start();
  return clock;
}

function untilClosed(child: ChildProcess): Promise<AgentEnd["exit"]> {
  return new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => settle({ code, signal }));
  });
}

/** The time of an agent, which stands still while a person is asked. */
interface AgentClock {
  stop(): void;
  start(): void;
}

/**
 * Passes on the requests of an agent to the host of this call, and the replies to the agent: one request at a time, and no more than
 * the host answers. Nothing else that the agent writes reaches the host. Does nothing if the host does not listen.
 *
 * @param agent descriptor 3 of the agent.
 */
function relayRequests(agent: Duplex, clock: AgentClock): void {
  const host = hostSocket();
  if (!host) return;
  let requests = 0;
  let open: { readonly id: number; isCancelled: boolean } | undefined;

  const refuse = (id: number | null, code: HostRequestErrorCode, message: string) => {
    const reply: HostReply = { id, error: { code, message } };
    send(agent, JSON.stringify(reply));
  };
  const cancel = (id: number) => {
    if (open?.id !== id || open.isCancelled) return;
    open.isCancelled = true;
    send(host, JSON.stringify({ id, method: "cancel" }));
  };
  const take = ({ id, method, params }: JsonObject) => {
    if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof method !== "string") return;
    if (method === "cancel") return cancel(id);
    if (open) return refuse(id, "REQUEST_OPEN", "The previous request has no reply yet.");
    if (++requests > maxHostRequests) {
      return refuse(id, "TOO_MANY_REQUESTS", `A call may make ${maxHostRequests} requests.`);
    }
    open = { id, isCancelled: false };
    clock.stop();
    // Written again, so that the host reads what was read here.
    send(host, JSON.stringify({ id, method, params }));
  };
  const answer = (line: Buffer) => {
    const id = parseObject(line.toString())?.id;
    if (!open || (id !== open.id && id !== null)) return;
    open = undefined;
    clock.start();
    send(agent, line.toString());
  };

  const fromAgent = lineReader(maxHostLineBytes, (line) => take(parseObject(line.toString()) ?? {}));
  const fromHost = lineReader(maxHostLineBytes, answer);
  agent.on("data", fromAgent.add);
  host.on("data", fromHost.add);
  for (const event of ["end", "close", "error"]) agent.on(event, () => open && cancel(open.id));
}

/** The host's end of the call, which does not keep this process alive. */
function hostSocket(): Socket | undefined {
  try {
    const socket = new Socket({ fd: progressFd });
    socket.on("error", () => {}).unref();
    return socket;
  } catch {
    return undefined;
  }
}

/** Drops the line if the other side does not read. */
function send(stream: Duplex, line: string): void {
  if (stream.writable && stream.writableLength <= maxHostLineBytes) stream.write(`${line}\n`);
}

/** What the model asks for. */
export interface AgentWish {
  readonly directory?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  /** The session that it continues a copy of. */
  readonly from?: string | undefined;
  /** The copy of the project that it works in. */
  readonly copy?: string | undefined;
}

/** The command that runs an agent. */
export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws AgentFailure `INVALID_ARG` if the directory cannot be used, `AGENT_FAILED` if only the project has a program to run the agent. */
export function agentCommand(grant: Grant, wish: AgentWish, env: NodeJS.ProcessEnv): AgentCommand {
  const { bin, mode, allowed, sandbox } = grant;
  const args = [
    ...["--print", "--output-format", "stream-json"],
    // Not as separate words: a value may begin with a dash.
    ...[`--model=${wish.model ?? grant.model}`, `--permission-mode=${mode}`],
    ...allowed.map((rule) => `--allow=${rule}`),
    ...(wish.from === undefined ? [] : [`--resume=${wish.from}`, "--fork"]),
    ...(sandbox ? [sandbox.network ? "--sandbox-network" : "--sandbox"] : []),
  ];
  const project = env.IKIGAI_PROJECT_DIR ?? process.cwd();
  const cwd = directoryOf(wish.directory, wish.copy ?? project);
  // This tool runs outside of the sandbox, where a tool may have written a `node` that the PATH finds.
  const words = wordsOutsideProject({ path: bin, args }, env, project);
  if ("failure" in words) throw new AgentFailure("AGENT_FAILED", `The agent cannot be started: ${words.failure}`);
  return {
    program: words.path,
    args: words.args,
    cwd,
    env: {
      ...agentEnvironment(env),
      PWD: cwd,
      IKIGAI_AGENT_GRANT: narrowed(grant, wish.tools),
      // Elsewhere, the agent would take the project's programs for the user's.
      ...(cwd !== realDirectory(project) && { PATH: pathOutsideProject(env.PATH ?? "", project) }),
    },
  };
}

/**
 * Returns the directory that the agent works in.
 *
 * @throws AgentFailure `INVALID_ARG` if it is not one of the project.
 */
function directoryOf(wanted: string | undefined, project: string): string {
  if (wanted === undefined || wanted === "") return project;
  const path = realDirectory(resolve(project, wanted));
  if (path === undefined) throw new AgentFailure("INVALID_ARG", `There is no directory ${JSON.stringify(wanted)}`);
  if (isInside(path, realpathSync(project))) return path;
  throw new AgentFailure("INVALID_ARG", `${JSON.stringify(wanted)} is outside of the project`, {
    hint: "An agent works in the project or in a directory of it.",
  });
}

function realDirectory(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Without what is about this call. The call's id stays: the host ends what has it, so no process of the agent can be left. */
function agentEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    IKIGAI_BIN,
    IKIGAI_DATA_DIR,
    IKIGAI_HOST_METHODS,
    IKIGAI_MAX_OUTPUT_BYTES,
    IKIGAI_PROGRESS_FD,
    IKIGAI_PROJECT_DIR,
    IKIGAI_SESSION_ID,
    IKIGAI_TIMEOUT_MS,
    IKIGAI_TOOL_DIR,
    IKIGAI_TOOL_NAME,
    IKIGAI_TOOL_SCOPE,
    ...rest
  } = env;
  return rest;
}

/** What the host grants an agent. The agent itself enforces it; the tool passes it on. */
export interface Grant {
  /** The program that runs the agent. */
  readonly bin: string;
  readonly mode: string;
  /** The rules that allow. The grant has the others, too. */
  readonly allowed: readonly string[];
  readonly model: string;
  readonly tokens: number;
  /** The session that grants, and the number of the agent in it. */
  readonly session: string;
  readonly slot: number;
  /** The only tools, if so. */
  readonly tools: readonly string[] | undefined;
  readonly sandbox: { readonly network: boolean } | undefined;
  /** The agents with instructions of their own, by name. */
  readonly agents: ReadonlyMap<string, NamedAgent>;
  /** The whole grant. */
  readonly value: JsonObject;
}

/** @throws AgentFailure `NO_AGENTS` if the host grants nothing. */
export function readGrant({ IKIGAI_BIN: bin, IKIGAI_AGENT_GRANT: text = "" }: NodeJS.ProcessEnv): Grant {
  const value = parseObject(text);
  if (!bin || !value) {
    throw new AgentFailure("NO_AGENTS", "This host starts no agents for this call", {
      hint: "Do the work without an agent. Agents can be started in a conversation with ikigai.",
    });
  }
  const { mode, model, tokens, rules, tools, sandbox } = value;
  const allowed = (Array.isArray(rules) ? rules : []).flatMap((rule) =>
    isJsonObject(rule) && rule.verdict === "allow" && typeof rule.rule === "string" ? [rule.rule] : [],
  );
  return {
    bin,
    mode: String(mode),
    allowed,
    model: String(model),
    tokens: Number(tokens),
    session: String(value.session),
    slot: Number(value.slot),
    tools: Array.isArray(tools) ? tools.map(String) : undefined,
    sandbox: isJsonObject(sandbox) ? { network: sandbox.network === true } : undefined,
    agents: new Map(agentsIn(value).map((agent) => [agent.name, agent])),
    value,
  };
}

/** An agent with instructions, and perhaps a model and tools, of its own. */
export interface NamedAgent {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
  readonly model?: string;
  readonly tools?: readonly string[];
}

/** The host has checked them. */
function agentsIn({ agents }: JsonObject): NamedAgent[] {
  return (Array.isArray(agents) ? agents : []) as unknown as NamedAgent[];
}

/** Returns the grant for an agent that may use only these of the tools. */
function narrowed(grant: Grant, tools: readonly string[] | undefined): string {
  if (!tools) return JSON.stringify(grant.value);
  const kept = tools.filter((tool) => grant.tools?.includes(tool) ?? true);
  return JSON.stringify({ ...grant.value, tools: kept });
}
