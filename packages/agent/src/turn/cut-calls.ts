import type { FinishReason, ToolCallPart } from "@ikigai/models";

/** The error of calls in a response that was refused or filtered. */
const refused =
  "The answer that made this call was refused or filtered (finish reason: content_filter). Nothing was run.";

const cutOff: Readonly<Partial<Record<FinishReason, string>>> = {
  length:
    "The answer reached the output limit (max tokens), and this call may have been cut off. Nothing was run. Make the call again; if it is long, split it, for instance by writing a file in several steps.",
  other:
    "The answer ended for an unknown reason, and this call may have been cut off. Nothing was run. Make the call again if it is still needed.",
};

/**
 * Returns why a call must not run, based on how the response ended; `undefined` if it may.
 *
 * At an output limit or an unknown end, the last call is unsafe whatever its arguments: a server may have completed the JSON
 * itself. So is every call without arguments, because the SDK turns missing arguments into `{}`, and every call whose
 * arguments are not an object. Other calls are complete, because no proper prefix of a JSON object is a JSON object. No call
 * of a refused response runs.
 */
export function whyNotRun(calls: readonly ToolCallPart[], index: number, finish: FinishReason): string | undefined {
  if (finish === "content_filter") return refused;
  const reason = cutOff[finish];
  // Nothing to check in a complete response.
  if (reason === undefined) return undefined;
  const isLast = index === calls.length - 1;
  return isLast || !hasArguments(calls[index]?.arguments ?? "") ? reason : undefined;
}

function hasArguments(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && Object.keys(value).length > 0;
  } catch {
    return false;
  }
}
