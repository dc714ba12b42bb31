import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { findTool, type Outcome, type RegisteredTool } from "../src/index.ts";
import { executeCall, prepareCall } from "../src/internal.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const prestart = { ikigai: { prestart: true, timeoutArgument: "timeout_ms" } };

/** Records its process id in a file when it starts, waits for input, and answers with its process and call id. */
const waits = 'echo $$ >> "$PID_FILE"; read -r args; printf \'{"pid":%s,"ahead":"%s"}\' $$ "$IKIGAI_PRESTART"';

/** A tool that may be started ahead, and the options for calling it. */
export interface Stage {
  readonly waiting: RegisteredTool;
  readonly options: CallOptions;
  /** The process ids, in order of their start. */
  pids(): number[];
  /** Waits until this many have been started. */
  untilStarted(count?: number): Promise<number[]>;
}

export async function stage(body = waits, more: object = prestart): Promise<Stage> {
  const { discover, root } = await world({ "system/wait-tool": tool(schema("wait", more), body) });
  const waiting = findTool(await discover(), "wait");
  if (waiting === undefined) throw new Error("no tool");
  const pidFile = join(root, "pids");
  writeFileSync(pidFile, "");
  const options = await circumstances({ env: { ...process.env, PID_FILE: pidFile } });
  const pids = () => readFileSync(pidFile, "utf8").split("\n").filter(Boolean).map(Number);
  return {
    waiting,
    options,
    pids,
    async untilStarted(count = 1) {
      await vi.waitFor(() => expect(pids().length).toBe(count), 50_000);
      return pids();
    },
  };
}

/** Makes a call with the process that was started ahead. */
export function callPrepared(tool: RegisteredTool, args: string, options: CallOptions): Promise<Outcome> {
  return executeCall(prepareCall(tool, args, options));
}

/** Replaces the tool by another program. */
export function replaceTool({ waiting }: Stage, body: string): void {
  writeFileSync(waiting.path, tool(schema("wait", prestart), body));
}
