import { onOneLine } from "@ikigai/system";
import { limitVariables } from "../call-limits.ts";
import { mayLeaveJob } from "../leave-job.ts";
import type { PreparedCall } from "../prepare-call.ts";

/**
 * Returns the line that makes a call in a process that answers several. The arguments are the model's text: parsed and printed,
 * they would lose big numbers.
 *
 * @param own variables that this call has besides those of every call.
 */
export function callFrame(
  id: string,
  { tool, text, limits, options, sandbox }: PreparedCall,
  own: Readonly<Record<string, string>> = {},
): string {
  const env = {
    ...own,
    ...sandbox?.place.callVariables?.(options.callId, options.env ?? process.env),
    IKIGAI_CALL_ID: options.callId,
    ...limitVariables(limits),
    ...(mayLeaveJob(tool, options) && { IKIGAI_JOBS: "1" }),
  };
  const head = JSON.stringify({ call: id, tool: tool.name, env });
  return `${head.slice(0, -1)},"arguments":${onOneLine(text)}}\n`;
}
