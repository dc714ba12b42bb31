// Loaded only by a conversation that has started agents.

import { startedAgents } from "@ikigai/agent/internal";
import type { Agent } from "../host/conversation/agent-from-flags.ts";

/** Agents that a task leaves running in the background, one per line. */
export function agentsLeft({ agents, conversation }: Agent): string[] {
  return startedAgents(conversation, agents).map(
    ({ session, task }) => `Still running in the background: agent ${session}: ${task.replace(/\s+/g, " ")}`,
  );
}
