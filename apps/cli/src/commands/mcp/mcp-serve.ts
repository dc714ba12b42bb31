import { resolve } from "node:path";
import { commands } from "../../args/commands.ts";
import type { McpClient } from "../../args/mcp-commands.ts";
import { readSandboxFlags, readSessionFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import type { Command } from "../command.ts";

const syntax = commands["mcp serve"];

/** `ikigai mcp serve`: serves an MCP client, or prints how to set one up. */
export const mcpServe: Command = {
  async run(args) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const client = values.setup?.[0] as McpClient | undefined;
    const options = {
      flags: { ...readSessionFlags(values), ...readSandboxFlags(flags) },
      tools: values.tools?.[0],
      dir: values.dir?.[0],
    };
    if (client !== undefined) {
      const [{ clientSetup }, { checkServeOptions }] = await Promise.all([
        import("./client-setup.ts"),
        import("../../mcp/run-mcp-server.ts"),
      ]);
      await checkServeOptions(options);
      const { part, where } = clientSetup(client, otherOptions(flags, values));
      printError(`${where}\n`);
      printOut(part);
      return exitCodes.done;
    }
    const { runMcpServer } = await import("../../mcp/run-mcp-server.ts");
    return runMcpServer(options);
  },
};

type Given = ReturnType<typeof readOptions<typeof syntax.options>>;

/** The given options but --setup, as words of a command line that works from every directory. */
function otherOptions(flags: Given["flags"], values: Given["values"]): string[] {
  const { setup, dir, ...others } = values;
  const given = { ...others, dir: dir?.map((path) => resolve(path)) };
  return [
    ...[...flags].map((name) => `--${name}`),
    ...Object.entries(given).flatMap(([name, all = []]) => all.flatMap((value) => [`--${name}`, value])),
  ];
}
