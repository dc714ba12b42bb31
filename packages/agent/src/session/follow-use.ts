import { type Model, type ModelUse, type ThinkingLevel, thinkingLevels } from "../model/model.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionEvent } from "./session-event.ts";

/** Follows which model and thinking level a session continues with: those last chosen by the user, or last used. */
export function followUse() {
  let last: ModelUse | undefined;
  let isTurnOpen = false;
  // A turn ends with the model that it began with: what the user chooses meanwhile counts from the next one on.
  let isChosenMeanwhile = false;
  return {
    take(event: SessionEvent): void {
      if (event.type === "turn_end") isTurnOpen = isChosenMeanwhile = false;
      if (event.type === "user") isTurnOpen = true;
      if (event.type === "use") isChosenMeanwhile = isTurnOpen;
      else if (event.type !== "step_end" || isChosenMeanwhile) return;
      last = useOf(event);
    },
    last: () => last,
  };
}

/** A level of another version is left out. */
function useOf({ model, thinking }: ModelUse): ModelUse {
  return { model, ...(thinkingLevels.some((level) => level === thinking) && { thinking }) };
}

interface Chosen {
  readonly conversation: Conversation;
  readonly thinking?: ThinkingLevel;
}

/** Records what the user has chosen for the following requests. The first answer of a new session records it anyway. */
export function recordUse({ conversation, thinking }: Chosen, { id }: Pick<Model, "id">): void {
  const { messages, log } = conversation;
  if (messages.length > 0) log.append({ type: "use", model: id, ...(thinking && { thinking }) });
}
