import { createHash } from "node:crypto";
import type { Outcome } from "@ikigai/core";

/** How often the same call may fail in the same way without progress. After that a model rarely changes its approach. */
export const maxSameFailures = 5;

/** A finished call. */
export interface EndedCall {
  readonly name: string;
  readonly arguments: string;
  /** Whether its tool declares that it is read-only, so that the call is not progress. */
  readonly onlyReads: boolean;
}

/** Detects a model that repeats a failing call without progress. */
export interface LoopGuard {
  /** Counts a call; true if it has failed too often since the last progress. */
  hasLooped(call: EndedCall, outcome: Outcome): boolean;
}

/**
 * Creates a loop guard. Progress is a call that worked, may have changed something, and has a result that is new in this
 * turn: editing between two failing test runs counts; reading, or toggling a change, does not.
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

/** A hash, because results can be long and a turn can have hundreds. */
function keyOf(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("base64");
}

/** Whether a call failed, reported an error, or ran a command with an exit code other than 0. */
function failed({ envelope }: Outcome): boolean {
  if (!envelope.tool_success) return envelope.error_code !== "TOOL_CANCELLED";
  const { error, exit_code: exitCode } = envelope.result;
  return typeof error === "string" || (typeof exitCode === "number" && exitCode !== 0);
}
