// Runs an agent while its call waits: started with its task, followed line by line, stopped when its time is up. Then its questions,
// which are passed on to the host of the call.

import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import {
  type HostReply,
  type HostRequestErrorCode,
  type JsonObject,
  maxHostLineBytes,
  maxHostRequests,
  progressFd,
} from "@ikigai/protocol";
import { HeadAndTail, lineReader, parseObject } from "@ikigai/system";
import type { AgentCommand } from "./agent-command.ts";
import { type AgentEnd, type AgentState, newState, takeLine } from "./agent-events.ts";

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
