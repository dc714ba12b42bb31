// Starts an agent, in the foreground or in the background. In order: the start, the task with the instructions that a name stands for,
// and the worktree, which is found again by the number of the agent and named in the answer if it is kept.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import {
  agentPlace,
  type Kept,
  makeWorktree,
  removeUnchanged,
  WorktreeError,
  type WorktreePlace,
} from "@ikigai/git-files/worktree";
import { readRegularFile } from "@ikigai/system";
import { splitFrontMatter } from "@ikigai/system/front-matter";
import { type AgentWish, agentCommand, type Grant, type NamedAgent, readGrant } from "./agent-command.ts";
import { type AgentErrorCode, AgentFailure, toAnswer } from "./agent-events.ts";
import { startInBackground } from "./background-agent.ts";
import { type RunAgentOptions, runAgent } from "./run-agent.ts";
import { outputsOf, sessionAgent } from "./session-agents.ts";

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
  const place = worktree
    ? await orFailure(makeWorktree(env, project, agentPlace(env, grant.session, grant.slot)))
    : undefined;
  const placed = { ...named, copy: place?.directory };
  if (!background)
    return withWorktree(
      () => place,
      project,
      env,
      () => inForeground(placed, grant, env, options),
    );
  const output = await inBackground(placed, grant, env, options).catch(async (error) => {
    await removeUnchanged(env, project, place);
    throw error;
  });
  return { ...output, ...(place && { worktree: place.path, branch: place.branch }) };
}

async function inForeground(task: NamedTask, grant: Grant, env: NodeJS.ProcessEnv, options: RunAgentOptions) {
  const end = await runAgent(agentCommand(grant, task, env), task.text, {
    ...options,
    methods: env.IKIGAI_HOST_METHODS,
  });
  options.signal.throwIfAborted();
  return toAnswer(end);
}

async function inBackground(task: NamedTask, grant: Grant, env: NodeJS.ProcessEnv, { signal }: RunAgentOptions) {
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
