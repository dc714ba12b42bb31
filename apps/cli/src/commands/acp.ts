// `ikigai acp`.

import { commands } from "../args/commands.ts";
import { readSandboxFlags, readSessionFlags } from "../args/parse-argv.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import type { Command } from "./command.ts";

/** `ikigai acp`: serves an editor. */
export const acp: Command = {
  async run(args) {
    const { flags, values, operands } = readOptions(args, commands.acp.options);
    readOperands(operands, commands.acp);
    const { runAcp } = await import("../acp/run-acp.ts");
    return runAcp({ ...readSessionFlags(values), ...readSandboxFlags(flags) });
  },
};
