import { headEnd } from "@ikigai/system";
import type { ToolFailure } from "./tool-failure.ts";
import { withIgnored } from "./with-ignored.ts";

/**
 * Prints a failure in at most `maxBytes`, with the fields that were ignored. One that is too long loses these and its details, then
 * the end of its message.
 */
export function fitFailure(
  { message, code, details }: ToolFailure<string>,
  maxBytes: number,
  ignored: readonly string[] = [],
): string {
  const whole = withIgnored(JSON.stringify, ignored)({ error: message, error_code: code, ...details });
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const cut = { error: "", error_code: code, truncated: true };
  cut.error = message.slice(0, headEnd(message, maxBytes - JSON.stringify(cut).length));
  return JSON.stringify(cut);
}
