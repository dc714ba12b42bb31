import type { ToolCallPart } from "../model/message.ts";
import type { FinishReason } from "../model/model.ts";

/** What a model is told of the calls of an answer that was refused or filtered. */
const refused =
  "The answer that made this call was refused or filtered (finish reason: content_filter). Nothing was run.";

const cutOff: Readonly<Partial<Record<FinishReason, string>>> = {
  length:
    "The answer reached the output limit (max tokens), and this call may have been cut off. Nothing was run. Make the call again; if it is long, split it, for instance by writing a file in several steps.",
  other:
    "The answer ended for an unknown reason, and this call may have been cut off. Nothing was run. Make the call again if it is still needed.",
};

/**
 * Why a call of an answer must not run, judged by how the answer ended; `undefined` when it may run.
 *
 * At an output limit or an unknown end, the last call is unsafe whatever its arguments look like: a server may have completed
 * the JSON itself. So is every call without arguments, since the provider packages turn arguments that never came into `{}`,
 * and every call whose arguments are no object. Other calls are whole: no proper prefix of a JSON object is a JSON object. Of
 * a refused answer no call runs.
 */
export function whyNotRun(calls: readonly ToolCallPart[], index: number, finish: FinishReason): string | undefined {
  if (finish === "content_filter") return refused;
  const reason = cutOff[finish];
  // Of an answer that is whole, nothing has to be parsed.
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
