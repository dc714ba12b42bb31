import { headEnd } from "@ikigai/system";
import type { ToolFailure } from "./tool-failure.ts";
import { withIgnored } from "./with-ignored.ts";

/**
 * Prints a failure in at most `maxBytes`: whole, with the fields that were ignored, or else without its details and with the end of
 * its sentence cut off.
 */
export function fitFailure(
  { message, code, details }: ToolFailure,
  maxBytes: number,
  ignored: readonly string[] = [],
): string {
  const whole = withIgnored(JSON.stringify, ignored)({ error: message, error_code: code, ...details });
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const cut = { error: "", error_code: code, truncated: true };
  cut.error = message.slice(0, headEnd(message, maxBytes - JSON.stringify(cut).length));
  return JSON.stringify(cut);
}
