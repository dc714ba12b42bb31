import { tellingLine } from "@ikigai/system";
import type { AgentResult, AgentState } from "./agent-events.ts";
import { type AgentFacts, AgentFailure, type AgentFailureDetails } from "./agent-failure.ts";
import type { AgentEnd } from "./run-agent.ts";

/**
 * Returns the answer for an agent that has ended.
 *
 * @throws AgentFailure `BUDGET_SPENT` or `AGENT_FAILED` if it has not finished.
 */
export function toAnswer({ state, exit, stderr, isLate }: AgentEnd) {
  const { result, text } = state;
  if (isLate && result?.reason !== "done") {
    const hint = "The agent was stopped because the time of the call was up. Give another one a smaller task.";
    return { output: result?.text || text, ...factsOf(state), truncated: true, hint };
  }
  if (result) return resultAnswer(state, result);
  throw new AgentFailure("AGENT_FAILED", whyEnded(exit, stderr), state.sessionId === "" ? {} : detailsOf(state, text));
}

/**
 * Returns the answer for an agent that has said how its work ended.
 *
 * @throws AgentFailure `BUDGET_SPENT` or `AGENT_FAILED` if it has not finished.
 */
export function resultAnswer(state: AgentState, { reason, text, error }: AgentResult) {
  if (reason === "done") return { output: text, ...factsOf(state) };
  const details = detailsOf(state, text || state.text);
  if (error?.code === "budget_spent") {
    throw new AgentFailure("BUDGET_SPENT", "The agent has used up its tokens before it finished", {
      ...details,
      hint: "Use what it has said, or give another agent a smaller task. The user can allow more with agents.maxTokens.",
    });
  }
  // A message about a request can have several lines.
  const why = error
    ? `The agent failed: ${error.message.replace(/\s+/g, " ")}`
    : "The agent was ended before it finished";
  throw new AgentFailure("AGENT_FAILED", why, details);
}

function whyEnded({ code, signal }: AgentEnd["exit"], stderr: string): string {
  if (signal) return `The agent was killed (${signal})`;
  const line = tellingLine(stderr, "last").replace(/^ikigai: /, "");
  return line === "" ? `The agent ended with exit code ${code}` : `The agent could not work: ${line}`;
}

function detailsOf(state: AgentState, output: string): AgentFailureDetails {
  return { ...factsOf(state), ...(output !== "" && { output }) };
}

/** Returns what is known about an agent. */
export function factsOf({ sessionId, turns, calls, usage, denied }: AgentState): AgentFacts {
  return { session_id: sessionId, turns, calls, usage, ...(denied.length > 0 && { denied }) };
}
