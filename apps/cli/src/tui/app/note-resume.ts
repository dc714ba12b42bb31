import { agentsWork } from "@ikigai/agent/internal";
import { resumeNote } from "../../render/render-header.ts";
import { say, type Tui } from "./tui.ts";
import { sumParts } from "./turn-sum.ts";

/** What the conversation has cost so far, with its agents, in dollars; undefined if the price is unknown. */
export function costOf({ session: { agent, model }, agentsWork }: Tui): number | undefined {
  const own = agent.models.of(model.id)?.cost(agent.conversation.usage);
  // An agent's model may have no known price, such as one on this machine.
  const ofAgents = [...agentsWork.usage].map(([id, usage]) => agent.models.of(id)?.cost(usage) ?? 0);
  return own === undefined ? undefined : ofAgents.reduce((sum, cost) => sum + cost, own);
}

/** Counts what the agents of the conversation have done. */
export function countAgents(tui: Tui): void {
  tui.setAgentsWork(agentsWork(tui.session.agent.conversation));
}

/** Says how to continue the conversation, if it can be, and what its turns have done. */
export function noteResume(tui: Tui): void {
  const note = resumeNote(tui.session.agent.conversation);
  if (note === undefined) return;
  const { dot } = tui.session.screen.signs;
  const cost = costOf(tui);
  const sum = sumParts({ ...tui.done, ...(cost !== undefined && { cost }) }, tui.session.screen);
  const parts = [note, ...(tui.done.workedMs > 0 ? sum : [])];
  say(tui, tui.theme.style.dim(parts.join(` ${dot} `)));
}
