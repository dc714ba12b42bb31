import { changeCounts, changesSince, isStdio, isUnchanged } from "@ikigai/mcp";
import { Refusal } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import type { Command } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";
import { addedServer } from "./added-servers.ts";
import { inspectServer } from "./inspect-server.ts";

const syntax = mcpCommands["mcp test"];

/** Starts a server, and says how long it took and how its tools differ from those that were added. */
export const mcpTest: Command = {
  run(args, { places, env }) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [name = ""] = readOperands(operands, syntax);
    return withRefusals(async () => {
      const { pack, dataDir } = addedServer(name, places);
      if (pack === undefined)
        throw new Refusal(
          `The files of ${name} are missing or damaged. Remove it and add it again: ikigai mcp remove ${name}`,
        );
      const { entry } = pack.server;
      const request = { name, entry, packageDir: pack.path, dataDir, projectDir: places.projectDir };
      const { tools, times, transport } = await inspectServer(request, env, (text) => printError(sanitise(text)));
      if (!isStdio(entry) && transport !== entry.type)
        throw new Refusal(`${name} has another transport now (${transport}). Remove it and add it again.`);
      const changes = changesSince(pack.server, pack.tools, tools);
      const ms = Object.fromEntries(Object.entries(times).map(([part, time]) => [part, Math.round(time)]));
      if (flags.has("json")) printOut(`${JSON.stringify({ name, ms, ...changes })}\n`);
      else {
        printOut(`${name}: started in ${ms.start} ms, handshake ${ms.handshake} ms, list ${ms.list} ms\n`);
        const lines = [
          ...changes.added.map((tool) => `  + ${tool}`),
          ...changes.removed.map((tool) => `  - ${tool}`),
          ...changes.changed.map((tool) => `  ~ ${tool}`),
        ];
        const told = isUnchanged(changes) ? "Its tools are as added." : `Its tools changed (${changeCounts(changes)}):`;
        printOut(`${[told, ...lines.map(sanitiseLine)].join("\n")}\n`);
      }
      return isUnchanged(changes) ? exitCodes.done : exitCodes.failed;
    });
  },
};
