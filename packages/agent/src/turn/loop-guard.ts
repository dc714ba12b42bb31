import type { Outcome } from "@ikigai/core";

/** How often the same call may fail in the same way in one turn. A model that has not learned by then does not. */
export const maxSameFailures = 5;

/** Notices a model that goes in circles. */
export interface LoopGuard {
  /** Counts a call; true when it has failed too often. */
  hasLooped(name: string, args: string, outcome: Outcome): boolean;
}

export function createLoopGuard(): LoopGuard {
  const failures = new Map<string, number>();
  return {
    hasLooped(name, args, outcome) {
      if (!failed(outcome)) return false;
      const key = `${name} ${args} ${outcome.envelope.tool_success ? outcome.json : outcome.envelope.error_code}`;
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return count >= maxSameFailures;
    },
  };
}

/** Also a call that worked and reports an error, or a command that did not end with 0. */
function failed({ envelope }: Outcome): boolean {
  if (!envelope.tool_success) return envelope.error_code !== "TOOL_CANCELLED";
  const { error, exit_code: exitCode } = envelope.result;
  return typeof error === "string" || (typeof exitCode === "number" && exitCode !== 0);
}
