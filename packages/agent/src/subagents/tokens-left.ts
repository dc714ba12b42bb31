import type { Conversation } from "../session/conversation.ts";
import type { Agents } from "./agent-state.ts";
import { readSlots, takenTokens } from "./slots.ts";

/** Returns how many tokens the agents of a conversation have used, or may still use. */
export function tokensOfAgents({ starting }: Pick<Agents, "starting">, { log }: Conversation): number {
  const slots = log.path === undefined ? [] : readSlots(log.path);
  return slots.reduce((sum, slot) => sum + takenTokens(slot, starting.has(slot.call)), 0);
}

/** Returns how many tokens new agents may use. */
export function tokensForAgents(agents: Agents, conversation: Conversation): number {
  const left = agents.maxTokens - tokensOfAgents(agents, conversation);
  return Math.min(left, agents.ownSlot?.left(agents, conversation) ?? left);
}
