import { readFileSync } from "node:fs";
import { tellingLine } from "@ikigai/system";
import type { AgentState } from "./agent-events.ts";
import { AgentFailure } from "./agent-failure.ts";
import { factsOf } from "./to-answer.ts";

/**
 * Returns why an agent in the background has ended without a result.
 *
 * @param outputs the path of the files of what it prints, without their endings.
 */
export function endedAgent(state: AgentState, outputs: string): AgentFailure {
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
