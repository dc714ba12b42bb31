// What ends a turn against the model's will. First the limits of cost and time: the user sees a notice at four fifths, and the turn
// stops at the limit, also in the middle of a call. Then a call that keeps failing in the same way.

import { createHash } from "node:crypto";
import type { Outcome } from "@ikigai/core";
import { noUsage, type Usage } from "@ikigai/models";
import type { TurnEnd } from "./agent-event.ts";

/** A limit, and what counted towards it before the turn: dollars or minutes. */
export interface Limit {
  readonly kind: "cost" | "minutes";
  /** How the user has set it: `--max-cost`, `limits.day.cost`. */
  readonly name: string;
  /** What it limits, as in "this session". */
  readonly what: string;
  readonly most: number;
  readonly before: number;
  /** Whether it was set for this run, so that the run must not go on without it. */
  readonly isForRun?: boolean;
}

/** The limits of a turn. */
export interface TurnLimits {
  readonly limits: readonly Limit[];
  /** What the agents of the conversation have cost by now, in US dollars; `undefined` if a price is unknown. */
  readonly agentsCost: () => number | undefined;
  /** The limits that have been reported. */
  readonly told: Set<string>;
  /** Called with what the turn has cost, in US dollars, and how long it took, in minutes, when it has ended. */
  readonly ended: (cost: number, minutes: number) => void;
}

/** Follows what a turn uses. */
export interface LimitWatch {
  /** Aborted when a limit is reached. */
  readonly signal: AbortSignal;
  /** Looks at the limits now. */
  check(): void;
  /** Why the turn has been stopped; `undefined` if it has not. */
  error(): TurnEnd["error"];
  close(): void;
}

/** The share of a limit at which the user sees a notice. */
const toldShare = 0.8;

/** How often a turn is looked at while a request or a call runs, in milliseconds. */
const lookMs = 500;

const minuteMs = 60_000;

interface Watched {
  readonly limits: TurnLimits;
  /** What the turn has used by now. */
  readonly usage: () => Usage;
  readonly costOf: ((usage: Usage) => number | undefined) | undefined;
  readonly notice: (text: string) => void;
}

/** Watches a turn from now on. */
export function watchLimits({
  limits: { limits, agentsCost, told, ended },
  usage,
  costOf,
  notice,
}: Watched): LimitWatch {
  const startMs = performance.now();
  const agentsBefore = agentsCost() ?? 0;
  const controller = new AbortController();
  let reached: { readonly limit: Limit; readonly used: number } | undefined;
  // A limit that was named for this run is kept or refused; one of the configuration must not stop models without a price.
  const isPriced = costOf?.({ ...noUsage, inputTokens: 1 }) !== undefined;
  const unkept = isPriced ? undefined : limits.find(({ kind, isForRun }) => kind === "cost" && isForRun);
  if (unkept) controller.abort();
  const tell = (key: string, text: string) => {
    if (told.has(key)) return;
    told.add(key);
    notice(text);
  };
  const minutes = () => (performance.now() - startMs) / minuteMs;
  const hasCost = limits.some(({ kind }) => kind === "cost");
  let priced: Usage = noUsage;
  let own = 0;
  // By request: some providers charge more for long ones.
  const cost = () => {
    const now = usage();
    if (now !== priced) {
      const step = costOf?.(difference(now, priced));
      priced = now;
      if (step === undefined && hasCost)
        tell("price", "The price of this model is unknown: a limit of the cost has no effect.");
      own += step ?? 0;
    }
    return own + Math.max(0, (agentsCost() ?? 0) - agentsBefore);
  };
  const check = () => {
    for (const limit of limits) {
      const used = limit.before + (limit.kind === "cost" ? cost() : minutes());
      if (used >= limit.most) {
        reached ??= { limit, used };
        controller.abort();
      } else if (used >= limit.most * toldShare) {
        tell(limit.name, `${amount(limit, used)} of ${amount(limit, limit.most)} (${limit.name}) are used.`);
      }
    }
  };
  const timer = setInterval(check, lookMs);
  timer.unref();
  return {
    signal: controller.signal,
    check,
    error() {
      if (unkept) return { code: "price_unknown", message: unkeptText(unkept) };
      return reached && { code: "limit_reached", message: stopText(reached.limit, reached.used) };
    },
    close() {
      clearInterval(timer);
      ended(cost(), minutes());
    },
  };
}

function difference(now: Usage, before: Usage): Usage {
  return {
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    cacheReadTokens: now.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: now.cacheWriteTokens - before.cacheWriteTokens,
  };
}

function amount({ kind }: Limit, value: number): string {
  if (kind === "cost") return `$${value.toFixed(value < 0.1 ? 3 : 2)}`;
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} min`;
}

function unkeptText({ name }: Limit): string {
  return `The price of this model is unknown, so ${name} cannot be kept. Leave it out, and limit the time: --max-minutes.`;
}

function stopText(limit: Limit, used: number): string {
  const verb = limit.kind === "cost" ? "has cost" : "has worked for";
  return `Stopped at a limit: ${limit.what} ${verb} ${amount(limit, used)}, and ${limit.name} is ${amount(limit, limit.most)}.`;
}

/* A model that repeats a failing call without progress. */

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
