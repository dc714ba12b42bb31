import { headEnd } from "@ikigai/system";
import type { ToolFailure } from "./tool-failure.ts";
import { withIgnored } from "./with-ignored.ts";

/**
 * Prints a failure in at most `maxBytes`, with the fields that were ignored. One that is too long loses the end of its message; if that
 * is not enough, its details and those fields, too.
 */
export function fitFailure(
  { message, code, details }: ToolFailure<string>,
  maxBytes: number,
  ignored: readonly string[] = [],
): string {
  const failure = { error: message, error_code: code, ...details };
  const whole = withIgnored(JSON.stringify, ignored)(failure);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const around = withIgnored(JSON.stringify, ignored)({ ...failure, error: "", truncated: true });
  const room = maxBytes - Buffer.byteLength(around);
  // Half a message is worth more than its details.
  if (room >= Math.min(Buffer.byteLength(JSON.stringify(message)), maxBytes / 2))
    return withIgnored(
      JSON.stringify,
      ignored,
    )({ ...failure, error: message.slice(0, headEnd(message, room)), truncated: true });
  const cut = { error: "", error_code: code, truncated: true };
  cut.error = message.slice(0, headEnd(message, maxBytes - JSON.stringify(cut).length));
  return JSON.stringify(cut);
}
