/** Returns the delay that a server asks for, in milliseconds: HTTP's seconds or date, or the providers' own header. */
export function retryAfterMs(headers: Readonly<Record<string, string>> = {}, now = Date.now()): number | undefined {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
