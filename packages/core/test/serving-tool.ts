import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, onTestFinished, vi } from "vitest";
import { parseArguments } from "../src/call/arguments.ts";
import type { CallOptions } from "../src/call/options.ts";
import { findTool, type Outcome, type RegisteredTool, type SpareTools, spareTools } from "../src/index.ts";
import { executeCall, prepareCall } from "../src/internal.ts";
import { circumstances, fixtures } from "./world.ts";

// These tests need served processes, also in a run of all tests without them.
delete process.env.IKIGAI_NO_SERVE;

const found = findTool(await fixtures(), "serving");

/** Served processes are found by their files in `/proc`. */
export const isLinux = process.platform === "linux";

/** A pool, and calls of `fixtures/serving-tool` in it. */
export interface ServingStage {
  readonly tool: RegisteredTool;
  readonly spares: SpareTools;
  readonly options: CallOptions;
  call(args?: object, different?: Partial<CallOptions>): Promise<Outcome>;
  /** Calls, and returns the answer. */
  answer(args?: object, different?: Partial<CallOptions>): Promise<Record<string, unknown>>;
  /** The processes that were started, in order. `isOneShot`: for one call. */
  started(): { readonly pid: number; readonly isOneShot: boolean }[];
}

/** @param tool another tool than the fixture. */
export async function servingStage(env: NodeJS.ProcessEnv = {}, tool = found): Promise<ServingStage> {
  if (tool === undefined) throw new Error("no tool");
  const spares = spareTools();
  onTestFinished(() => spares.close());
  const shared = await circumstances();
  const pidFile = join(shared.cwd, "pids");
  writeFileSync(pidFile, "");
  const options = { ...shared, spares, env: { ...process.env, PID_FILE: pidFile, ...env }, refill: () => {} };
  const call: ServingStage["call"] = (args = {}, different = {}) => {
    const parsed = parseArguments(JSON.stringify(args));
    if (!parsed) throw new Error("no object");
    return executeCall(prepareCall(tool, parsed, { ...options, callId: randomUUID(), ...different }));
  };
  return {
    tool,
    spares,
    options,
    call,
    async answer(args, different) {
      const { envelope } = await call(args, different);
      expect(envelope, JSON.stringify(envelope)).toMatchObject({ tool_success: true });
      return envelope.tool_success ? envelope.result : {};
    },
    started() {
      const lines = readFileSync(pidFile, "utf8").split("\n").filter(Boolean);
      return lines.map((line) => ({ pid: Number.parseInt(line, 10), isOneShot: line.endsWith("one-shot") }));
    },
  };
}

/** Waits until a process is gone. */
export async function untilGone(pid: unknown): Promise<void> {
  expect(Number(pid)).toBeGreaterThan(0);
  await vi.waitFor(() => expect(isRunning(Number(pid))).toBe(false), 50_000);
}
