import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { HeadAndTail } from "@ikigai/system";
import type { AgentCommand } from "./agent-command.ts";
import { type AgentState, newState, takeLine } from "./agent-events.ts";
import { type AgentClock, relayRequests } from "./relay-requests.ts";

/** How an agent's process ended. */
export interface AgentEnd {
  readonly state: AgentState;
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  /** The beginning and the end of what it printed on stderr. */
  readonly stderr: string;
  /** Whether it was stopped because its time was up. */
  readonly isLate: boolean;
}

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
