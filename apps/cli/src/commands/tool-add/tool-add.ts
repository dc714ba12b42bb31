import { toolRoot } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOptions } from "../../args/read-options.ts";
import { nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import type { Command } from "../command.ts";
import { readOperands } from "../read-operands.ts";
import { withRefusals } from "../with-refusals.ts";
import { installPackage } from "./install-package.ts";

const syntax = commands["tool add"];

/** Adds tools that somebody else has made: fetched, shown, and only then asked about. */
export const toolAdd: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [source = ""] = readOperands(operands, syntax);
    return withRefusals(async () => {
      const root = toolRoot(context.places, { isProject: flags.has("project") });
      const as = values.name?.[0];
      const isAllowed = flags.has("yes");
      const isDryRun = flags.has("dry-run");
      const end = await installPackage({ ...context, source, as, root, isAllowed, isDryRun });
      if (end === "unasked") throw nobodyToAsk();
      return end === "declined" ? exitCodes.failed : exitCodes.done;
    });
  },
};
