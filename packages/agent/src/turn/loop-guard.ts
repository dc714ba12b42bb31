import { createHash } from "node:crypto";
import type { Outcome } from "@ikigai/core";

/** How often the same call may fail in the same way without progress in between. A model that has not learned by then does not. */
export const maxSameFailures = 5;

/** A call that has ended. */
export interface EndedCall {
  readonly name: string;
  readonly arguments: string;
  /** Its tool says that it only reads: it cannot be progress. */
  readonly onlyReads: boolean;
}

/** Notices a model that repeats a failing call without getting anywhere. */
export interface LoopGuard {
  /** Counts a call; true when it has failed too often since the last progress. */
  hasLooped(call: EndedCall, outcome: Outcome): boolean;
}

/**
 * Progress is a call that worked, may have changed something, and has not had the same result in this turn before: editing
 * between two failing test runs counts, reading does not, and neither does a change that goes back and forth.
 */
export function createLoopGuard(): LoopGuard {
  const failures = new Map<string, number>();
  const successes = new Set<string>();
  return {
    hasLooped({ name, arguments: args, onlyReads }, outcome) {
      const { envelope, json } = outcome;
      const key = keyOf(name, args, envelope.tool_success ? json : String(envelope.error_code));
      if (!failed(outcome)) {
        if (!onlyReads && !successes.has(key) && envelope.tool_success) failures.clear();
        successes.add(key);
        return false;
      }
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return count >= maxSameFailures;
    },
  };
}

/** Results can be long, and a turn can have hundreds. */
function keyOf(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64");
}

/** Also a call that worked and reports an error, or a command that did not end with 0. */
function failed({ envelope }: Outcome): boolean {
  if (!envelope.tool_success) return envelope.error_code !== "TOOL_CANCELLED";
  const { error, exit_code: exitCode } = envelope.result;
  return typeof error === "string" || (typeof exitCode === "number" && exitCode !== 0);
}
