import type { HostApi } from "@ikigai/core";
import type { RecordedCall } from "./recording.ts";

/**
 * Returns a host that answers the questions of a repeated call as the user did then, in any order. There is no user for a question
 * that was not asked then, and none at all if the call asked nothing.
 */
export function recordedHost({ questions = [] }: Pick<RecordedCall, "questions">): HostApi {
  const waiting = [...questions];
  if (waiting.length === 0) return {};
  return {
    async ask({ question }) {
      const index = waiting.findIndex((recorded) => recorded.question === question);
      return index < 0 ? undefined : waiting.splice(index, 1)[0]?.result;
    },
  };
}
