import type { Outcome } from "../outcome.ts";
import { OutputCollector } from "../output-collector.ts";
import { type Remains, toOutcome } from "../to-outcome.ts";

/** The outcome of a call that was refused: the same as when a tool with one call per process says so on stderr and exits with 1. */
export function refusedOutcome(remains: Remains, reason: string): Promise<Omit<Outcome, "durationMs">> {
  const { limits, stderr, end } = remains;
  stderr.add(Buffer.from(`${reason}\n`));
  const output = new OutputCollector({ maxBytes: limits.maxOutputBytes, callId: "" });
  return toOutcome({
    ...remains,
    refusal: reason,
    output,
    end: { ...end, verdict: "exited", exit: { code: 1, signal: undefined } },
  });
}
