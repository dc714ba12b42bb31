import { availableParallelism, loadavg } from "node:os";
import { schemaTimeoutMs } from "@ikigai/protocol";
import type { Run, Subject } from "./subject.ts";

/** How many runs a tool has to be fast enough, and how many on a busy machine. */
const attempts = 5;
const attemptsWhenBusy = 20;

/** On a busy machine, no run starts after this time in total. */
const patienceMs = 30_000;

/** From this many runs on, a tool that takes more than twice the limit, and more than the load explains, is too slow. */
const hopelessRuns = 3;

/** The runs of `--schema` so far. */
export interface SchemaRuns {
  readonly count: number;
  /** Without the time in which other processes kept the processors busy. */
  readonly fastestMs: number;
  readonly totalMs: number;
}

/** Runs `--schema` until it meets the time limit; says how long the fastest run took if all were slower. */
export async function slowSchema(subject: Subject): Promise<string | undefined> {
  const first = await subject.printSchema();
  let runs: SchemaRuns = { count: 1, fastestMs: ownMs(first), totalMs: first.durationMs };
  while (isWorthAnotherRun(runs, loadPerProcessor())) {
    const run = await subject.printSchema(true);
    const { count, fastestMs, totalMs } = runs;
    runs = { count: count + 1, fastestMs: Math.min(fastestMs, ownMs(run)), totalMs: totalMs + run.durationMs };
  }
  const { count, fastestMs } = runs;
  return fastestMs > schemaTimeoutMs
    ? `It took ${Math.round(fastestMs)} ms in the fastest of ${count} runs.`
    : undefined;
}

function ownMs({ durationMs, queuedMs }: Run): number {
  return durationMs - queuedMs;
}

/** Whether another run could meet the limit, on a machine with this many waiting processes for each processor. */
export function isWorthAnotherRun({ count, fastestMs, totalMs }: SchemaRuns, load: number): boolean {
  if (fastestMs <= schemaTimeoutMs) return false;
  if (count >= hopelessRuns && fastestMs > 2 * schemaTimeoutMs * Math.max(1, load)) return false;
  return load > 1 ? count < attemptsWhenBusy && totalMs < patienceMs : count < attempts;
}

function loadPerProcessor(): number {
  return (loadavg()[0] ?? 0) / availableParallelism();
}
