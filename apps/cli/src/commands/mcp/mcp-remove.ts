import { rmSync } from "node:fs";
import { packageName } from "@ikigai/mcp";
import { uninstall } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { type Command, withRefusals } from "../command.ts";
import { addedServer } from "./added-servers.ts";

const syntax = mcpCommands["mcp remove"];

/** Removes a server: its tools, its package, its secrets and other data. */
export const mcpRemove: Command = {
  run(args, { places }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [name = ""] = readOperands(operands, syntax);
    return withRefusals(async () => {
      const { record, root, dataDir } = addedServer(name, places);
      const count = Object.keys(record.tools).length;
      const what = `${name}, its ${count} ${count === 1 ? "tool" : "tools"} and its data`;
      if (!flags.has("yes")) {
        if (!canAsk()) throw nobodyToAsk();
        if (!(await confirm(`Remove ${what}?`))) {
          printError("Nothing was removed.\n");
          return exitCodes.failed;
        }
      }
      await uninstall(packageName(name), record, { root, places });
      rmSync(dataDir, { recursive: true, force: true });
      root.tidy();
      printOut(`Removed ${what}\n`);
      return exitCodes.done;
    });
  },
};
