// The tool: starts an agent and waits for it (`start-agent.ts`), or works with those that were started in the background
// (`session-agents.ts`, `background-agent.ts`).

import { lockHolder, providerVariables, tokenCount } from "@ikigai/system";
import { defineTool, monotonicMs } from "@ikigai/tool-sdk";
import type { AgentState } from "./agent-events.ts";
import { waitForAgent } from "./background-agent.ts";
import type { RunAgentOptions } from "./run-agent.ts";
import { output, parameters } from "./schema.ts";
import { killAgent, type SessionAgent, sendMessage, sessionAgent, sessionAgents } from "./session-agents.ts";
import { findWorktree, startAgent, withWorktree } from "./start-agent.ts";

/** How long an agent has to end its tools before the call's time is up, in milliseconds. */
const partingMs = 4_000;

/** The keys of the providers that an agent's requests may need. */
const keys = Object.values(providerVariables).map(({ keyVariable }) => keyVariable);

export const agentTool = defineTool({
  name: "agent",
  description:
    "Give a task to an agent with a conversation of its own, and get its answer. Use it for work that would fill this conversation, or that can run in parallel; do small things yourself. It knows nothing but the task: say what to do, where, and what to answer.",
  parameters,
  output,
  annotations: { openWorldHint: true },
  ikigai: { agent: true, host: ["ask", "permission"], timeoutMs: 600_000, needs: { env: keys } },
  async run({ action = "start", session_id: wanted, message = "", ...start }, { env, signal, stopAtMs, progress }) {
    const timeMs = stopAtMs - monotonicMs() - partingMs;
    const options = { signal, timeMs, onChange: reporter(progress) };
    switch (action) {
      case "start":
        return startAgent(start, env, options);
      case "wait": {
        const agent = sessionAgent(env, wanted);
        return afterwards(env, agent, () => waitForAgent(agent, options));
      }
      case "send": {
        sendMessage(sessionAgent(env, wanted), message, env.IKIGAI_SESSION_ID ?? "");
        return { output: "The agent gets the message before its next request", ...idOf(wanted) };
      }
      case "kill": {
        const agent = sessionAgent(env, wanted);
        return afterwards(env, agent, async () => ({ output: await kill(agent), ...idOf(wanted) }));
      }
      case "list":
        return listOf(env);
      default:
        return action satisfies never;
    }
  },
});

async function kill(agent: SessionAgent): Promise<string> {
  return (await killAgent(agent)) ? "The agent has ended" : "The agent could not be ended";
}

/** Removes the worktree of an agent that has ended, if it has no changes. */
async function afterwards<Answer extends object>(
  env: NodeJS.ProcessEnv,
  { number, lock }: SessionAgent,
  answer: () => Promise<Answer>,
) {
  const { IKIGAI_SESSION_ID: session = "", IKIGAI_PROJECT_DIR: project = process.cwd() } = env;
  const isOver = () => lockHolder(lock) === undefined;
  const worktree = () => (isOver() ? findWorktree(env, session, number) : undefined);
  return withWorktree(worktree, project, env, answer);
}

function idOf(session: string | undefined) {
  return session === undefined ? {} : { session_id: session };
}

function listOf(env: NodeJS.ProcessEnv) {
  const agents = sessionAgents(env).map(({ session, agent, task, state }) => ({
    session_id: session,
    ...(agent !== undefined && { agent }),
    ...{ task, state },
  }));
  const lines = agents.map(({ session_id: id, state, task }) => `${id} ${state}: ${task}`);
  return { output: lines.length === 0 ? "This session has started no agents." : lines.join("\n"), agents };
}

/** Reports what an agent does when that has changed: `12 calls · 34 k tokens · reading src/x.ts`. */
function reporter(report: (update: { progress: number; message: string }) => void): RunAgentOptions["onChange"] {
  let shown = "";
  return ({ calls, usage, activity }: AgentState) => {
    const { input_tokens: sent = 0, output_tokens: received = 0 } = usage;
    const count = calls === 1 ? "1 call" : `${calls} calls`;
    const message = `${count} · ${tokenCount(sent + received)} tokens · ${activity}`;
    if (message !== shown) report({ progress: calls, message });
    shown = message;
  };
}
