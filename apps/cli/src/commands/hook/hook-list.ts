import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { printFaithfully } from "../../render/print-faithfully.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import type { Command } from "../command.ts";
import { type HookRow, hookRows } from "./hook-rows.ts";

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
