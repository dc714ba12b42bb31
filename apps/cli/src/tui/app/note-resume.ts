import { resumeNote } from "../../render/resume-note.ts";
import { say, type Tui } from "./tui.ts";
import { sumParts } from "./turn-sum.ts";

/** What the conversation has cost so far, in dollars; undefined if the price is unknown. */
export function costOf({ session: { agent, model } }: Tui): number | undefined {
  return agent.models.of(model.id)?.cost(agent.conversation.usage);
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
