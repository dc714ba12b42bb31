import { failedOutcome } from "@ikigai/core/internal";

/** The result of a call that was running when the session ended. */
export const { json: cancelledJson } = failedOutcome(
  "TOOL_CANCELLED",
  "The session ended before this call had a result. It is unknown whether it took effect.",
);
