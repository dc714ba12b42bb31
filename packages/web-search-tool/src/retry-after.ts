import type { IncomingHttpHeaders } from "node:http";

/** Reads when to try again, in seconds: `Retry-After`, or else the limits that Brave lists. */
export function retryAfter(headers: IncomingHttpHeaders): number | undefined {
  const { "retry-after": after = "" } = headers;
  if (isSeconds(after)) return Number(after);
  // Date.parse alone would take -1 for a year.
  const date = after.endsWith("GMT") ? Date.parse(after) : Number.NaN;
  if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - Date.now()) / 1_000));
  return resetOfLimits(headers["x-ratelimit-remaining"], headers["x-ratelimit-reset"]);
}

/** Returns when all limits that are used up have reset, of several (`X-RateLimit-Remaining: 0, 14523`, `X-RateLimit-Reset: 1, 1419704`). */
function resetOfLimits(remaining: unknown, reset: unknown): number | undefined {
  const left = listOf(remaining);
  const seconds = listOf(reset);
  if (!seconds.every(isSeconds)) return undefined;
  const usedUp = seconds.filter((_, index) => left[index] === "0").map(Number);
  return usedUp.length === 0 ? undefined : Math.max(...usedUp);
}

function listOf(header: unknown): string[] {
  return typeof header === "string" ? header.split(",").map((item) => item.trim()) : [];
}

/** At most 31 years: what is longer is no number of seconds. */
function isSeconds(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
