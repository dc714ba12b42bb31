// Starts an agent, in the foreground or in the background, with the task that a name stands for. Below: its worktree, found again by
// the number of the agent, and named in the answer if it is kept.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  agentPlace,
  type Kept,
  makeWorktree,
  removeUnchanged,
  WorktreeError,
  type WorktreePlace,
} from "@ikigai/git-files/worktree";
import { readRegularFile, writeAll } from "@ikigai/system";
import { splitFrontMatter } from "@ikigai/system/front-matter";
import { type AgentErrorCode, AgentFailure, type AgentState, newState, takeLine, toAnswer } from "./agent-events.ts";
import {
  type AgentCommand,
  type AgentWish,
  agentCommand,
  type Grant,
  type NamedAgent,
  type RunAgentOptions,
  readGrant,
  runAgent,
} from "./run-agent.ts";
import { endedAgent, LineFollower, outputsOf, sessionAgent } from "./session-agents.ts";

/** An agent to start. */
interface NewAgent extends AgentWish {
  readonly task?: string | undefined;
  readonly agent?: string | undefined;
  readonly background?: boolean | undefined;
  /** Works in a copy of the project, on a branch of its own. */
  readonly worktree?: boolean | undefined;
}

/**
 * Starts an agent, and waits for its answer unless it shall run in the background.
 *
 * @throws AgentFailure if it cannot be started, or has no answer.
 */
export async function startAgent(
  { task = "", agent, from, background = false, worktree = false, ...wish }: NewAgent,
  env: NodeJS.ProcessEnv,
  options: RunAgentOptions,
) {
  if (task.trim() === "") throw new AgentFailure("INVALID_ARG", "The task is empty");
  const grant = readGrant(env);
  if (grant.tokens <= 0) {
    throw new AgentFailure("BUDGET_SPENT", "The tokens for agents are used up in this session", {
      hint: "Do the rest without an agent. The user can allow more with agents.maxTokens.",
    });
  }
  const named = namedTask(task, agent, { ...wish, from: sessionFrom(from, grant, env) }, grant);
  const project = env.IKIGAI_PROJECT_DIR ?? process.cwd();
  const own = worktree
    ? await orFailure(makeWorktree(env, project, agentPlace(env, grant.session, grant.slot)))
    : undefined;
  const starting = { ...named, copy: own?.directory };
  if (!background)
    return withWorktree(
      () => own,
      project,
      env,
      () => runToEnd(starting, grant, env, options),
    );
  const output = await startOn(starting, grant, env, options).catch(async (error) => {
    await removeUnchanged(env, project, own);
    throw error;
  });
  return { ...output, ...(own && { worktree: own.path, branch: own.branch }) };
}

async function runToEnd(task: NamedTask, grant: Grant, env: NodeJS.ProcessEnv, options: RunAgentOptions) {
  const end = await runAgent(agentCommand(grant, task, env), task.text, {
    ...options,
    methods: env.IKIGAI_HOST_METHODS,
  });
  options.signal.throwIfAborted();
  return toAnswer(end);
}

async function startOn(task: NamedTask, grant: Grant, env: NodeJS.ProcessEnv, { signal }: RunAgentOptions) {
  const outputs = outputsOf(env, grant.session, grant.slot);
  const { sessionId } = await startInBackground(agentCommand(grant, task, env), task.text, { outputs, signal });
  signal.throwIfAborted();
  const output = `The agent ${sessionId} is working in the background. To get its answer, wait for it (action wait).`;
  return { output, session_id: sessionId };
}

/** The session to copy: this one, or that of one of its agents. */
function sessionFrom(from: string | undefined, { session }: Grant, env: NodeJS.ProcessEnv): string | undefined {
  if (from === undefined || from === "") return undefined;
  return from === "session" || from === session ? session : sessionAgent(env, from).session;
}

/** A task with the instructions, the model and the tools of the agent that does it. */
interface NamedTask extends AgentWish {
  /** The agent's first message. */
  readonly text: string;
}

/**
 * Returns what an agent gets: its own instructions before the task. The call's model counts before the agent's; of the tools it gets
 * those that both name.
 *
 * @throws AgentFailure `NOT_FOUND` for an unknown agent, `AGENT_FAILED` if its file has changed.
 */
function namedTask(task: string, name: string | undefined, wish: AgentWish, { agents }: Grant): NamedTask {
  if (name === undefined || name === "") return { ...wish, text: task };
  const agent = agents.get(name) ?? unknown(name, [...agents.keys()]);
  const { model = agent.model, tools = agent.tools } = wish;
  return {
    ...wish,
    model,
    tools: tools?.filter((tool) => agent.tools?.includes(tool) ?? true),
    text: `You are the agent ${name}. Your instructions, from ${agent.path}:\n\n${instructionsOf(agent)}\n\nYour task:\n\n${task}`,
  };
}

function unknown(name: string, known: readonly string[]): never {
  const hint =
    known.length === 0 ? "This conversation has no such agents. Leave it out." : `Known: ${known.join(", ")}.`;
  throw new AgentFailure("NOT_FOUND", `There is no agent called ${JSON.stringify(name)}`, { hint });
}

/** The text that the host has read: a project's file counts only as the user has trusted it. */
function instructionsOf({ path, sha256 }: NamedAgent): string {
  const bytes = read(path);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) {
    throw new AgentFailure("AGENT_FAILED", `The file ${path} has changed, so its agent was not started`, {
      hint: "Try again: if it is a file of the project, the user must trust the project again.",
    });
  }
  return splitFrontMatter(bytes.toString("utf8"))?.body.trim() ?? "";
}

function read(path: string): Buffer {
  try {
    return readRegularFile(path);
  } catch {
    return Buffer.alloc(0);
  }
}

const pollMs = 20;

/**
 * Starts an agent that outlives the call: in a session of its own, which signals to the tool do not reach. Returns when it has its
 * task, so that it can be found.
 *
 * @param outputs the path of the files for what it prints, without their endings.
 * @throws AgentFailure `AGENT_FAILED` if it ends before; the system's error if it cannot be started.
 */
async function startInBackground(
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

// The worktree of an agent: found again by the number of the agent, and named in the answer if it is kept.

/** Returns the worktree of an agent, if it has one. */
export function findWorktree(env: NodeJS.ProcessEnv, session: string, slot: number): WorktreePlace | undefined {
  const place = agentPlace(env, session, slot);
  return existsSync(place.path) ? place : undefined;
}

/** Waits for a worktree that is made for an agent. @throws AgentFailure `INVALID_ARG` if none can be made. */
async function orFailure<Made>(made: Promise<Made>): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error;
    throw new AgentFailure("INVALID_ARG", `No worktree can be made here: ${error.message}`, {
      hint: "Leave worktree out: the agent then works in the project itself.",
    });
  }
}

/**
 * Returns the answer of an agent that has ended, and says where its changes are; without changes, removes the worktree.
 *
 * @param worktree returns it once the agent has ended.
 * @throws what `answer` throws: a failure says the same.
 */
export async function withWorktree<Answer extends object>(
  worktree: () => WorktreePlace | undefined,
  project: string,
  env: NodeJS.ProcessEnv,
  answer: () => Promise<Answer>,
): Promise<Answer & Kept> {
  try {
    const given = await answer();
    return { ...(await removeUnchanged(env, project, worktree())), ...given };
  } catch (error) {
    const kept = await removeUnchanged(env, project, worktree());
    if (!(error instanceof AgentFailure)) throw error;
    throw new AgentFailure(error.code as AgentErrorCode, error.message, { ...kept, ...error.details });
  }
}
