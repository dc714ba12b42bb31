// An agent in the background, which outlives the call that starts it and prints to files. In order: starting it, waiting for its answer
// in a later call, why it has no answer, and reading what it has printed so far.

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder, tellingLine, writeAll } from "@ikigai/system";
import type { AgentCommand } from "./agent-command.ts";
import { AgentFailure, type AgentState, factsOf, newState, resultAnswer, takeLine } from "./agent-events.ts";
import type { RunAgentOptions } from "./run-agent.ts";
import { hasEnded, type SessionAgent } from "./session-agents.ts";

/** How often what it prints is read until it has its task, and while a call waits for its answer, in milliseconds. */
const startPollMs = 20;
const waitPollMs = 50;

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
    await Promise.race([over, sleep(startPollMs)]);
    if (signal.aborted) child.kill("SIGTERM");
    for (const line of lines.read()) takeLine(state, line);
  }
  child.unref();
  if (state.hasTask) return state;
  const { message } = withoutResult(state, outputs);
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

/**
 * Waits for the answer of an agent in the background.
 *
 * @throws AgentFailure `STILL_RUNNING` if the time is up first; `AGENT_FAILED` or `BUDGET_SPENT` as a call that waits for it.
 */
export async function waitForAgent(
  { outputs, session, lock }: SessionAgent,
  { signal, timeMs, onChange }: RunAgentOptions,
) {
  const state = newState();
  const lines = new LineFollower(`${outputs}.out`);
  const untilMs = performance.now() + timeMs;
  for (;;) {
    // Before the last look at what it has printed.
    const isGone = lockHolder(lock) === undefined;
    for (const line of lines.read()) takeLine(state, line);
    if (state.result) {
      // It prints its result before it ends, and its worktree can only be removed afterwards.
      await hasEnded(lock, lockHolder(lock));
      return resultAnswer(state, state.result);
    }
    onChange(state);
    if (isGone) throw withoutResult(state, outputs);
    if (performance.now() > untilMs) throw stillRunning(state, session);
    await sleep(waitPollMs, undefined, { signal });
  }
}

function stillRunning(state: AgentState, session: string): AgentFailure {
  return new AgentFailure("STILL_RUNNING", `The agent ${session} is still working`, {
    ...factsOf(state),
    hint: "Wait again, or kill it.",
  });
}

/**
 * Returns why an agent in the background has ended without a result.
 *
 * @param outputs the path of the files of what it prints, without their endings.
 */
function withoutResult(state: AgentState, outputs: string): AgentFailure {
  const line = tellingLine(textOf(`${outputs}.err`), "last").replace(/^ikigai: /, "");
  const why = line === "" ? "The agent was killed" : `The agent could not work: ${line}`;
  return new AgentFailure("AGENT_FAILED", why, state.sessionId === "" ? {} : factsOf(state));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const chunkBytes = 65_536;

/** Reads the lines of a file that another process appends to. */
class LineFollower {
  readonly #path: string;
  #position = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the complete lines since the last time; none if the file cannot be read. */
  read(): string[] {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, "r");
    } catch {
      return [];
    }
    try {
      const chunk = Buffer.alloc(chunkBytes);
      const parts = [this.#rest];
      for (let length = -1; length !== 0; this.#position += length) {
        length = readSync(descriptor, chunk, 0, chunkBytes, this.#position);
        parts.push(Buffer.from(chunk.subarray(0, length)));
      }
      const bytes = Buffer.concat(parts);
      const end = bytes.lastIndexOf(0x0a) + 1;
      this.#rest = bytes.subarray(end);
      return end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
    } finally {
      closeSync(descriptor);
    }
  }
}
