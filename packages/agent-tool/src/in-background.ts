import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { writeAll } from "@ikigai/system";
import type { AgentCommand } from "./agent-command.ts";
import { type AgentState, newState, takeLine } from "./agent-events.ts";
import { AgentFailure } from "./agent-failure.ts";
import { endedAgent } from "./ended-agent.ts";
import { LineFollower } from "./line-follower.ts";

const pollMs = 20;

/**
 * Starts an agent that outlives the call: in a session of its own, which signals to the tool do not reach. Returns when it has its
 * task, so that it can be found.
 *
 * @param outputs the path of the files for what it prints, without their endings.
 * @throws AgentFailure `AGENT_FAILED` if it ends before; the system's error if it cannot be started.
 */
export async function startInBackground(
  { program, args, cwd, env }: AgentCommand,
  task: string,
  { outputs, signal }: { readonly outputs: string; readonly signal: AbortSignal },
): Promise<AgentState> {
  const opened = [openTask(`${outputs}.task`, task), openSync(`${outputs}.out`, "wx", 0o600)];
  opened.push(openSync(`${outputs}.err`, "wx", 0o600));
  // Without the call's id: when the call ends, the host ends every process that has it.
  const { IKIGAI_CALL_ID, ...own } = env;
  const child = spawn(program, args, { cwd, env: own, detached: true, stdio: opened });
  const exited = new Promise<void>((settle, fail) => {
    child.once("error", fail);
    child.once("exit", () => settle());
  });
  for (const descriptor of opened) closeSync(descriptor);
  const state = newState();
  const lines = new LineFollower(`${outputs}.out`);
  let hasExited = false;
  const over = exited.then(() => {
    hasExited = true;
  });
  while (!state.hasTask && !hasExited) {
    await Promise.race([over, sleep(pollMs)]);
    if (signal.aborted) child.kill("SIGTERM");
    for (const line of lines.read()) takeLine(state, line);
  }
  child.unref();
  if (state.hasTask) return state;
  const { message } = endedAgent(state, outputs);
  // The next agent has this number if this one has not taken it.
  const isTaken = existsSync(`${outputs}.child.json`);
  if (!isTaken) for (const ending of ["out", "err"]) rmSync(`${outputs}.${ending}`, { force: true });
  throw new AgentFailure("AGENT_FAILED", message);
}

/** Writes the task to an unlinked file: this process ends before the agent has read it. */
function openTask(path: string, task: string): number {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    writeAll(descriptor, task);
    return openSync(path, "r");
  } finally {
    closeSync(descriptor);
    rmSync(path, { force: true });
  }
}
