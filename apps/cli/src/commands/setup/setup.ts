import { isatty } from "node:tty";
import { expectedMessage, type PermissionMode } from "@ikigai/agent/internal";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError } from "../../host/stdout.ts";
import { sanitise } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { configWithKeys } from "../keys/login.ts";
import { withRefusals } from "../with-refusals.ts";
import { runSetup } from "./run-setup.ts";

const syntax = commands.setup;

export const setup: Command = {
  async run(args, context) {
    readOperands(readOptions(args, syntax.options).operands, syntax);
    if (!isatty(0) || !isatty(2))
      throw new UsageError("Not a terminal: use ikigai config set model PROVIDER/MODEL, and ikigai login PROVIDER.");
    return withRefusals(async () => {
      if (await runSetup(context)) return exitCodes.done;
      printError("Nothing was changed.\n");
      return exitCodes.interrupted;
    });
  },
};

/**
 * Asks at the first start, if the configuration names no model; a key in the environment is the first choice. A write that fails
 * is reported, and ikigai starts without a choice.
 */
export async function offerSetup(context: CommandContext, mode: PermissionMode | undefined): Promise<void> {
  const { model, permission } = configWithKeys(context);
  if (model !== undefined) return;
  const asksMode = (mode ?? permission?.mode) === undefined;
  try {
    await runSetup(context, { leaving: "Esc to continue without a model, Ctrl-C to quit", asksMode });
  } catch (error) {
    printError(`ikigai: ${sanitise(expectedMessage(error))}\n`);
  }
  printError("\n");
}
