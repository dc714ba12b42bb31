import type { Outcome } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { type Envelope, isJsonObject, type JsonValue } from "@ikigai/protocol";
import type { ShownVisual } from "../model/shown-visual.ts";
import type { RecordedCall, Recording } from "./recording.ts";

/** A recorded outcome, with what was drawn, as the log has it. */
export interface RecordedOutcome extends Outcome {
  readonly visuals?: readonly ShownVisual[];
}

/** Answers calls with recorded results, so that nothing runs. */
export interface RecordedAnswers {
  /**
   * Returns the result of the first unused recorded call of this tool with these arguments; without one, a failure with
   * the code `TOOL_UNAVAILABLE`.
   */
  answer(name: string, args: string): RecordedOutcome;
}

/** Returns the results of a session's calls. Whitespace and key order in arguments do not matter. */
export function recordedAnswers({ id, calls }: Pick<Recording, "id" | "calls">): RecordedAnswers {
  const results = new Map<string, NonNullable<RecordedCall["result"]>[]>();
  for (const { name, arguments: args, typed, result, shown = [] } of calls) {
    const key = keyOf(name, args);
    if (!result || typed) continue;
    const visuals = [...shown, ...(result.visuals ?? [])];
    const seen = { ...result, ...(visuals.length > 0 && { visuals }) };
    results.set(key, [...(results.get(key) ?? []), seen]);
  }
  return {
    answer(name, args) {
      const waiting = results.get(keyOf(name, args));
      const result = waiting?.shift();
      const envelope = result && envelopeOf(result.json);
      if (envelope) return { ...result, envelope, notes: [] };
      const what = result
        ? `a damaged result of the call of '${name}' with these arguments`
        : waiting
          ? `no other call of '${name}' with these arguments`
          : `no call of '${name}' with these arguments`;
      return failedOutcome("TOOL_UNAVAILABLE", `Nothing was run: the replayed session ${id} has ${what}.`);
    },
  };
}

/** The file may contain anything. */
function envelopeOf(json: string): Envelope | undefined {
  try {
    const value: Partial<Envelope> | null = JSON.parse(json);
    const isEnvelope = value?.tool_success === false || (value?.tool_success === true && isJsonObject(value.result));
    return isEnvelope ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(name: string, args: string): string {
  try {
    return `${name} ${JSON.stringify(sorted(JSON.parse(args)))}`;
  } catch {
    return `${name} ${args}`;
  }
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
