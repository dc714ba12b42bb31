import type { Places } from "@ikigai/agent/internal";
import { findHooks, type Hook, hookEventNames, isForTool, knownTools } from "@ikigai/core/internal";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { printFaithfully } from "../../render/print-faithfully.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import type { Command } from "../command.ts";

const syntax = commands["hook list"];

export const hookList: Command = {
  async run(args, { places }) {
    const { flags, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const finder = findHooks(places);
    const rows = await allRows(finder, places);
    if (flags.has("json")) printFaithfully(`${JSON.stringify(rows, null, 2)}\n`);
    else printOut(render(rows, places));
    for (const problem of finder.misplaced()) printError(`${sanitiseLine(problem)}\n`);
    return exitCodes.done;
  },
};

/** A hook as `--json` prints it. */
interface HookRow extends Pick<Hook, "event" | "tool" | "path" | "scope"> {
  readonly status: "ready" | "broken" | "untrusted";
  readonly reason?: string;
}

/** All hooks, in the order in which their events happen and they run. */
async function allRows(finder: ReturnType<typeof findHooks>, places: Places): Promise<HookRow[]> {
  const names = (await knownTools(places)).map(({ name }) => name);
  const rows: HookRow[] = [];
  for (const event of hookEventNames) {
    const { hooks, untrusted } = await finder.find(event);
    rows.push(...hooks.map((hook) => toRow(hook, names)));
    rows.push(...untrusted.map(({ tool, path, scope }) => rowOf({ event, tool, path, scope }, "untrusted", reviewIt)));
  }
  return rows;
}

const reviewIt = "review it and run: ikigai trust";

function toRow(hook: Hook, tools: readonly string[]): HookRow {
  if (hook.problem !== undefined) return rowOf(hook, "broken", hook.problem);
  const isForNone = hook.tool !== undefined && !tools.some((name) => isForTool(hook, name));
  return rowOf(hook, "ready", isForNone ? "there is no such tool now" : undefined);
}

function rowOf(
  { event, tool, path, scope }: Pick<HookRow, "event" | "path" | "scope"> & { tool?: string | undefined },
  status: HookRow["status"],
  reason: string | undefined,
): HookRow {
  return { event, ...(tool !== undefined && { tool }), path, scope, status, ...(reason !== undefined && { reason }) };
}

function render(rows: readonly HookRow[], places: Places): string {
  if (rows.length === 0) return "No hooks. They are executables in ~/.ikigai/hooks/EVENT/: ikigai help hooks\n";
  const lines = rows.map(({ event, tool = "", path, status, reason }) => {
    const state = status === "ready" ? "" : `  ${status}`;
    const why = reason === undefined ? "" : `: ${reason}`;
    return `  ${sanitiseLine(`${event} ${tool}`.trimEnd()).padEnd(24)}  ${shortPath(path, places)}${state}${sanitiseLine(why)}`;
  });
  return `${lines.join("\n")}\n`;
}
