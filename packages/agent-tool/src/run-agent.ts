import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { HeadAndTail } from "@ikigai/system";
import type { AgentCommand } from "./agent-command.ts";
import { type AgentState, newState, takeLine } from "./agent-events.ts";

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
  const { program, args, cwd, env } = command;
  const { signal, timeMs, onChange } = options;
  const state = newState();
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
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
  const timer = Number.isFinite(timeMs) ? setTimeout(late, Math.max(timeMs, 0)) : undefined;
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return { state, exit: await closed, stderr: stderr.toText(), isLate };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function untilClosed(child: ChildProcess): Promise<AgentEnd["exit"]> {
  return new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => settle({ code, signal }));
  });
}
