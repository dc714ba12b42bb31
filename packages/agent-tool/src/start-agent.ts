import { type AgentWish, agentCommand } from "./agent-command.ts";
import { AgentFailure } from "./agent-failure.ts";
import { type Grant, readGrant } from "./grant.ts";
import { startInBackground } from "./in-background.ts";
import { type NamedTask, namedTask } from "./named-agent.ts";
import { type RunAgentOptions, runAgent } from "./run-agent.ts";
import { outputsOf, sessionAgent } from "./session-agents.ts";
import { toAnswer } from "./to-answer.ts";
import { makeWorktree, removeUnchanged, withWorktree } from "./worktree.ts";

/** An agent to start. */
export interface NewAgent extends AgentWish {
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
  const own = worktree ? await makeWorktree(env, project, grant) : undefined;
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
