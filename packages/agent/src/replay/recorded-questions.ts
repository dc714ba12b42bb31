import type { HostApi } from "@ikigai/core";
import type { RecordedCall, RecordedQuestion } from "./recording.ts";

/**
 * Returns a host that answers the questions of a repeated call as the user did then, in any order. There is no user for a question
 * that was not asked then, and none at all if the call asked nothing. What the call shows is not drawn.
 */
export function recordedHost({ questions = [], shown = [] }: Pick<RecordedCall, "questions" | "shown">): HostApi {
  const waiting = [...questions];
  return {
    ...(waiting.length > 0 && answering(waiting)),
    // No one sees it, but the tool must take the same path.
    ...(shown.length > 0 && { show: async () => ({ shown: true }) }),
  };
}

function answering(waiting: RecordedQuestion[]): HostApi {
  return {
    async ask({ question }) {
      const index = waiting.findIndex((recorded) => recorded.question === question);
      return index < 0 ? undefined : waiting.splice(index, 1)[0]?.result;
    },
  };
}
