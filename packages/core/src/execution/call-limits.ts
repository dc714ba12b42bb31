import {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  type JsonObject,
  maxMaxOutputBytes,
  maxOverflowBytes,
  maxTimeoutMs,
} from "@ikigai/protocol";
import type { RegisteredTool } from "../registry/registry.ts";

/** What one call may take. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** The longest time Node's timers know, in milliseconds; a longer one would be over at once. */
const longestTimerMs = 2_147_483_647;

/**
 * The limits of one call. Its time: what the argument named by the schema asks for, else the user's setting, else the
 * schema's, else 30 seconds. What a tool or a model asks for is held to the protocol's maximum; the user may go beyond. A
 * limit that is not above zero is none.
 *
 * @param args is missing for a call that is not written yet, and for what is no JSON object.
 */
export function callLimits(
  { schema: { ikigai = {} } }: RegisteredTool,
  args: JsonObject | undefined,
  user: { readonly timeoutMs?: number | undefined; readonly maxOutputBytes?: number | undefined },
): CallLimits {
  const asked = ikigai.timeoutArgument === undefined ? undefined : numberIn(args, ikigai.timeoutArgument);
  const timeoutMs = atMost(maxTimeoutMs, asked) ?? positive(user.timeoutMs) ?? atMost(maxTimeoutMs, ikigai.timeoutMs);
  const maxOutputBytes = positive(user.maxOutputBytes) ?? atMost(maxMaxOutputBytes, ikigai.maxOutputBytes);
  return {
    timeoutMs: Math.min(timeoutMs ?? defaultTimeoutMs, longestTimerMs),
    maxOutputBytes: Math.min(maxOutputBytes ?? defaultMaxOutputBytes, maxOverflowBytes),
  };
}

function numberIn(args: JsonObject | undefined, name: string): number | undefined {
  const value = args && Object.hasOwn(args, name) ? args[name] : undefined;
  // Anything else is for the tool to refuse. As a limit, 1.5 or 0 would end the call before the tool can say so.
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

function positive(limit: number | undefined): number | undefined {
  return limit !== undefined && limit > 0 ? limit : undefined;
}

function atMost(limit: number, wanted: number | undefined): number | undefined {
  return wanted === undefined ? undefined : Math.min(wanted, limit);
}
