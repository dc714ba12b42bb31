import { join } from "node:path";
import { AgentError, systemMessage } from "../model/agent-error.ts";
import { budgetTokens } from "../model/usage.ts";
import type { Conversation } from "../session/conversation.ts";
import { sessionsDir } from "../session/open-session-log.ts";
import { logSuffix } from "../session/session-files.ts";
import type { Agents, OwnSlot } from "./agent-state.ts";
import type { Grant } from "./grant.ts";
import { takeMessages } from "./inbox.ts";
import { claimSlot, updateSlot } from "./slots.ts";
import { tokensOfAgents } from "./tokens-left.ts";

/**
 * Takes the slot that a grant is for.
 *
 * @throws AgentError `grant` if there is no such slot, another agent has taken it, or that cannot be written.
 */
export function claimOwnSlot(grant: Grant, home: string, { id, usage }: Conversation): OwnSlot {
  const parentLog = join(sessionsDir(home), `${grant.session}${logSuffix}`);
  const tokens = Math.min(claim(parentLog, grant, id), grant.tokens);
  // What the conversation had used before, if it continues another one, does not count.
  const before = budgetTokens(usage);
  const spentBy = (agents: Agents, conversation: Conversation) =>
    budgetTokens(conversation.usage) - before + tokensOfAgents(agents, conversation);
  return {
    left: (agents, conversation) => tokens - spentBy(agents, conversation),
    record(agents, conversation, isOver) {
      try {
        updateSlot(parentLog, grant.slot, { session: id, spent: spentBy(agents, conversation), isOver });
      } catch {
        // What is not recorded counts as used up when the agent has ended.
      }
    },
    takeMessages: ({ log }) => takeMessages(log.path),
  };
}

function claim(parentLog: string, grant: Grant, id: string): number {
  let tokens: number | undefined;
  try {
    tokens = claimSlot(parentLog, grant, id);
  } catch (error) {
    throw new AgentError(
      "grant",
      `This agent cannot start, because its start cannot be recorded: ${systemMessage(error)}.`,
    );
  }
  if (tokens !== undefined) return tokens;
  const text = "The grant in IKIGAI_AGENT_GRANT is used up or invalid. Each agent needs its own grant.";
  throw new AgentError("grant", text);
}
