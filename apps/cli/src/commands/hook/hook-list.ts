// `ikigai hook list`: the hooks in the order in which they run, and what never runs.

import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { findHooks, type Hook, hookEventNames, isForTool } from "@ikigai/core/hooks";
import { knownTools } from "@ikigai/core/internal";
import { sanitiseLine } from "@ikigai/screen";
import { nearestWord } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { printFaithfully } from "../../render/line-output.ts";
import { shortPath } from "../../render/short-forms.ts";
import type { Command } from "../command.ts";

const syntax = commands["hook list"];

export const hookList: Command = {
  async run(args, { places }) {
    const { flags, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const { rows, misplaced } = await hookRows(places);
    if (flags.has("json")) printFaithfully(`${JSON.stringify(rows, null, 2)}\n`);
    else printOut(render(rows, places));
    for (const problem of misplaced) printError(`${sanitiseLine(problem)}\n`);
    return exitCodes.done;
  },
};

function render(rows: readonly HookRow[], places: Places): string {
  const own = shortPath(join(places.home, "hooks/EVENT"), places);
  if (rows.length === 0) return `No hooks. They are executables in ${own}/: ikigai help hooks\n`;
  const lines = rows.map(({ event, tool = "", path, status, reason }) => {
    const state = status === "ready" ? "" : `  ${status}`;
    const why = reason === undefined ? "" : `: ${reason}`;
    return `  ${sanitiseLine(`${event} ${tool}`.trimEnd()).padEnd(24)}  ${shortPath(path, places)}${state}${sanitiseLine(why)}`;
  });
  return `${lines.join("\n")}\n`;
}

/** A hook as `hook list --json` prints it. */
export interface HookRow extends Pick<Hook, "event" | "tool" | "path" | "scope"> {
  readonly status: "ready" | "broken" | "untrusted";
  readonly reason?: string;
}

/** All hooks, in the order in which their events happen and they run, and what is never run, one sentence each. */
export async function hookRows(
  places: Places,
): Promise<{ readonly rows: readonly HookRow[]; readonly misplaced: readonly string[] }> {
  const finder = findHooks(places);
  const names = (await knownTools(places)).map(({ name }) => name);
  const rows: HookRow[] = [];
  for (const event of hookEventNames) {
    const { hooks, untrusted } = await finder.find(event);
    rows.push(...hooks.map((hook) => toRow(hook, names)));
    rows.push(...untrusted.map(({ tool, path, scope }) => rowOf({ event, tool, path, scope }, "untrusted", reviewIt)));
  }
  return { rows, misplaced: await finder.misplaced("all") };
}

const reviewIt = "review it and run: ikigai trust";

function toRow(hook: Hook, tools: readonly string[]): HookRow {
  if (hook.problem !== undefined) return rowOf(hook, "broken", hook.problem);
  const { tool } = hook;
  if (tool === undefined || tools.some((name) => isForTool(hook, name))) return rowOf(hook, "ready", undefined);
  const nearest = nearestWord(tool, tools);
  return rowOf(hook, "ready", `no such tool${nearest === undefined ? "" : `; did you mean ${nearest}?`}`);
}

function rowOf(
  { event, tool, path, scope }: Pick<HookRow, "event" | "path" | "scope"> & { tool?: string | undefined },
  status: HookRow["status"],
  reason: string | undefined,
): HookRow {
  return { event, ...(tool !== undefined && { tool }), path, scope, status, ...(reason !== undefined && { reason }) };
}
