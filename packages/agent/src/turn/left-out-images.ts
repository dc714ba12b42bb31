import { asSentence } from "../model/as-sentence.ts";
import { dropImages, type Message } from "../model/message.ts";
import { isTooMuch, type ModelError } from "../model/model-error.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * The images of a conversation whose model may not accept them.
 *
 * A model without image support rejects every request with an image. The conversation loses its images only when a request
 * without them was accepted: otherwise something else was the reason.
 */
export interface LeftOutImages {
  /** The messages to send. */
  messages(): readonly Message[];
  /** Whether to retry without the images after the error. */
  retryWithout(error: ModelError): boolean;
  /** Call when a request was accepted, before its response is recorded. */
  accepted(): void;
}

export function leftOutImages(turn: Pick<TurnContext, "conversation" | "record" | "emit">): LeftOutImages {
  const { conversation } = turn;
  let areLeftOut = false;
  const accepted = () => {
    if (!areLeftOut) return;
    areLeftOut = false;
    turn.record({ type: "drop_images" });
    dropImages(conversation.messages);
  };
  return {
    accepted,
    messages() {
      if (!areLeftOut) return conversation.messages;
      const messages = [...conversation.messages];
      dropImages(messages);
      return messages;
    },
    retryWithout({ code, message, mayRejectImages }) {
      // The images are no longer what is wrong, and the request for a summary must not have them either.
      if (isTooMuch({ code })) accepted();
      if (areLeftOut || !mayRejectImages || !dropImages([...conversation.messages])) return false;
      areLeftOut = true;
      turn.emit({ type: "notice", text: `${asSentence(message)} Retrying without the images.` });
      return true;
    },
  };
}
