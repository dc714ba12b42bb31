import { failedOutcome } from "@ikigai/core/internal";

/** What a call gets that was running when everything ended. */
export const { json: cancelledJson } = failedOutcome(
  "TOOL_CANCELLED",
  "The session ended before this call had a result. It is unknown whether it took effect.",
);
