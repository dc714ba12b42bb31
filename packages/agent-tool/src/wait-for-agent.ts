import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder } from "@ikigai/system";
import { type AgentState, newState, takeLine } from "./agent-events.ts";
import { AgentFailure } from "./agent-failure.ts";
import { endedAgent } from "./ended-agent.ts";
import { LineFollower } from "./line-follower.ts";
import type { RunAgentOptions } from "./run-agent.ts";
import type { SessionAgent } from "./session-agents.ts";
import { factsOf, resultAnswer } from "./to-answer.ts";
import { hasEnded } from "./until-ended.ts";

const pollMs = 100;

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
    if (isGone) throw endedAgent(state, outputs);
    if (performance.now() > untilMs) throw stillRunning(state, session);
    await sleep(pollMs, undefined, { signal });
  }
}

function stillRunning(state: AgentState, session: string): AgentFailure {
  return new AgentFailure("STILL_RUNNING", `The agent ${session} is still working`, {
    ...factsOf(state),
    hint: "Wait again, or kill it.",
  });
}
