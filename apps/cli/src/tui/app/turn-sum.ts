// What a turn has done, and the line that says so: calls, files, cost and time.

import type { agentsWork } from "@ikigai/agent/internal";
import type { FileChange } from "../../render/call/file-change.ts";
import type { LineOutput } from "../../render/line-output.ts";
import { duration } from "../../render/short-forms.ts";

/** What a turn has done, or all turns since ikigai started. */
export interface TurnSum {
  /** Without the time in which a question was open, in milliseconds. */
  readonly workedMs: number;
  readonly calls: number;
  /** The calls of its agents. */
  readonly agentCalls: number;
  /** The paths of the changed files, as the model wrote them. */
  readonly files: ReadonlySet<string>;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  /** In dollars; undefined if the price is unknown. */
  readonly cost?: number;
}

/** No agent has done anything. */
export const noWork: ReturnType<typeof agentsWork> = { calls: 0, usage: new Map() };

export const nothingDone: TurnSum = { workedMs: 0, calls: 0, agentCalls: 0, files: new Set(), added: 0, removed: 0 };

/** A shorter turn that has changed nothing needs no sum, in milliseconds. */
const shortMs = 3_000;

/** The sum with one more call. @param change what it has changed, if it has */
export function withCall(sum: TurnSum, change?: FileChange): TurnSum {
  const count = (sign: string) => change?.lines.filter((line) => line.sign === sign).length ?? 0;
  return {
    ...sum,
    calls: sum.calls + 1,
    files: change ? new Set([...sum.files, change.path]) : sum.files,
    added: sum.added + count("+"),
    removed: sum.removed + count("-"),
  };
}

export function addSums(one: TurnSum, other: TurnSum): TurnSum {
  return {
    workedMs: one.workedMs + other.workedMs,
    calls: one.calls + other.calls,
    agentCalls: one.agentCalls + other.agentCalls,
    files: new Set([...one.files, ...other.files]),
    added: one.added + other.added,
    removed: one.removed + other.removed,
  };
}

/** The line at the end of a turn: `worked 41 s · 6 calls · 2 files +16 −4 · $0.04 · 23:03`; undefined for one that needs none. */
export function turnLine(sum: TurnSum, look: Pick<LineOutput, "signs">, now = new Date()): string | undefined {
  if (sum.workedMs < shortMs && sum.files.size === 0) return undefined;
  return [...sumParts(sum, look), now.toTimeString().slice(0, "hh:mm".length)].join(` ${look.signs.dot} `);
}

/** The facts of a sum, for a line. */
export function sumParts(
  { workedMs, calls, agentCalls, files, added, removed, cost }: TurnSum,
  { signs }: Pick<LineOutput, "signs">,
) {
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
  return [
    `worked ${duration(workedMs)}`,
    ...(calls + agentCalls > 0
      ? [`${counted(calls, "call")}${agentCalls > 0 ? ` + ${agentCalls} by agents` : ""}`]
      : []),
    ...(files.size > 0 ? [`${counted(files.size, "file")} +${added} ${signs.minus}${removed}`] : []),
    // Of a turn that was interrupted, the provider has not said what it used.
    ...(cost === undefined || cost === 0 ? [] : [`$${cost.toFixed(cost < 0.1 ? 3 : 2)}`]),
  ];
}

/** A clock that stands still while something is waited for. */
interface WorkClock {
  /** Waits for a promise with the clock stopped. */
  stoppedFor<Result>(wait: Promise<Result>): Promise<Result>;
  /** How long it has run, in milliseconds. */
  ms(): number;
}

export function startClock(): WorkClock {
  const startedMs = performance.now();
  let stoppedMs = 0;
  let sinceMs = 0;
  let waits = 0;
  return {
    async stoppedFor(wait) {
      if (waits++ === 0) sinceMs = performance.now();
      try {
        return await wait;
      } finally {
        if (--waits === 0) stoppedMs += performance.now() - sinceMs;
      }
    },
    ms: () => performance.now() - startedMs - stoppedMs,
  };
}
