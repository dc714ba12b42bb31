import type { JsonObject } from "@ikigai/protocol";
import { requiredParameters } from "./sample-arguments.ts";
import { patienceMs } from "./served-tool.ts";
import type { Subject } from "./subject.ts";

/** How many times as long as with one process per call a reply may take: overlapping calls share the processor. */
const patienceFactor = 8;

/** Calls that do no harm: the real ones, otherwise one without its required parameters, which is refused. */
export async function safeCalls(subject: Subject): Promise<readonly JsonObject[]> {
  const calls = await subject.calls();
  if (calls.length > 0) return calls;
  return requiredParameters(await subject.schema()).length > 0 ? [{}] : [];
}

/** How long to wait for the reply to a call, in milliseconds. */
export async function patienceFor(subject: Subject, args: JsonObject): Promise<number> {
  const { durationMs } = await subject.answer(args);
  return Math.max(patienceMs, patienceFactor * durationMs);
}
