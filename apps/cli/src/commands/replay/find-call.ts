import type { RecordedCall, Recording } from "@ikigai/agent/internal";

/**
 * The call that a person means: by its number in `ikigai tool log`, or by its id, of which the beginning is enough if no other
 * begins so. When it cannot be told, one sentence on why.
 */
export function findCall({ id, calls }: Recording, wanted: string): RecordedCall | { readonly problem: string } {
  const exact =
    calls.find((call) => call.id === wanted) ?? (/^[1-9]\d*$/.test(wanted) ? calls[Number(wanted) - 1] : undefined);
  if (exact) return exact;
  const matches = calls.filter((call) => wanted !== "" && call.id.startsWith(wanted));
  const [only, second] = matches;
  if (second) return { problem: `${matches.length} calls of the session ${id} begin with ${wanted}.` };
  return (
    only ?? { problem: `The session ${id} has no call ${wanted}: it has ${calls.length}. See: ikigai tool log ${id}` }
  );
}
