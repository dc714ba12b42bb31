import { resolve } from "node:path";
import type { Check } from "./check.ts";
import { conformance } from "./conformance.ts";

/** What became of one check. */
export interface CheckResult {
  readonly id: string;
  readonly level: Check["level"];
  readonly title: string;
  /** `skipped`: the check that it needs did not pass. */
  readonly status: "passed" | "failed" | "skipped";
  /** What is wrong and what to do, when it failed. */
  readonly problem?: string;
}

/** How a tool keeps the protocol. */
export interface Report {
  /** The tool's file. */
  readonly path: string;
  /** Whether every `must` passed. */
  readonly ok: boolean;
  /** In the order of `conformance`. */
  readonly results: readonly CheckResult[];
}

/** Tries a tool on the whole conformance list, one check after the other. The tool is run, many times. */
export async function checkTool(bin: string): Promise<Report> {
  const path = resolve(bin);
  const results: CheckResult[] = [];
  for (const { run, needs, id, level, title } of conformance) {
    const isReady = needs === undefined || results.some((result) => result.id === needs && result.status === "passed");
    const problem = isReady ? await run(path) : undefined;
    const status = isReady ? (problem === undefined ? "passed" : "failed") : "skipped";
    results.push({ id, level, title, status, ...(problem !== undefined && { problem }) });
  }
  return { path, ok: results.every(({ level, status }) => level === "should" || status === "passed"), results };
}
