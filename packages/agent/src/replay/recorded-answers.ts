import type { Outcome } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { type Envelope, isJsonObject, type JsonValue } from "@ikigai/protocol";
import type { RecordedCall, Recording } from "./recording.ts";

/** Answers calls with what was recorded, so that nothing is run. */
export interface RecordedAnswers {
  /**
   * The result of the first recorded call of this tool with these arguments that has not been asked for yet. When there is
   * none, a failure with the code `TOOL_UNAVAILABLE` that says so.
   */
  answer(name: string, args: string): Outcome;
}

/** The results of a session's calls. White space and the order of keys in arguments make no difference. */
export function recordedAnswers({ id, calls }: Pick<Recording, "id" | "calls">): RecordedAnswers {
  const results = new Map<string, NonNullable<RecordedCall["result"]>[]>();
  for (const { name, arguments: args, typed, result } of calls) {
    const key = keyOf(name, args);
    if (result && !typed) results.set(key, [...(results.get(key) ?? []), result]);
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

/** Whoever wrote the file may have written anything. */
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
