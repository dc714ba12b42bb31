// `ikigai mcp serve`: serves an MCP client, or with --setup prints how to add ikigai to one.

import { resolve } from "node:path";
import { shellWord } from "@ikigai/system";
import type { McpClient } from "../../args/command-groups.ts";
import { commands } from "../../args/commands.ts";
import { readSandboxFlags, readSessionFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
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
      const { checkServeOptions } = await import("../../mcp/run-mcp-server.ts");
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

/** How to set up a client. */
interface ClientSetup {
  /** The command to run, or the part of a file. */
  readonly part: string;
  /** What to do with it, a sentence. */
  readonly where: string;
}

/** The program and its arguments, as a client starts them. */
interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns how to set up a client.
 *
 * @param options of `mcp serve`. The paths are absolute: a client for the desktop has another PATH.
 */
function clientSetup(client: McpClient, options: readonly string[]): ClientSetup {
  const { execPath, argv } = process;
  return setups[client]({ command: execPath, args: [resolve(argv[1] ?? ""), "mcp", "serve", ...options] });
}

const setups: Readonly<Record<McpClient, (start: Start) => ClientSetup>> = {
  claude: (start) => ({ where: run, part: shellLine("claude mcp add ikigai --", start) }),
  codex: ({ command, args }) => ({
    where: addTo("~/.codex/config.toml"),
    // Without the last line, Codex asks about each call, and denies all where it cannot ask.
    part: [
      "[mcp_servers.ikigai]",
      `command = ${JSON.stringify(command)}`,
      `args = ${JSON.stringify(args)}`,
      'default_tools_approval_mode = "approve"',
      "",
    ].join("\n"),
  }),
  gemini: (start) => file("~/.gemini/settings.json", { mcpServers: { ikigai: start } }),
  opencode: ({ command, args }) =>
    file("opencode.json", { mcp: { ikigai: { type: "local", command: [command, ...args], enabled: true } } }),
  cursor: (start) => file("~/.cursor/mcp.json", { mcpServers: { ikigai: start } }),
  vscode: (start) => file(".vscode/mcp.json", { servers: { ikigai: { type: "stdio", ...start } } }),
  zed: (start) =>
    file("~/.config/zed/settings.json", { context_servers: { ikigai: { source: "custom", ...start, env: {} } } }),
  goose: ({ command, args }) => ({
    where: addTo("~/.config/goose/config.yaml"),
    // JSON is YAML.
    part: [
      "extensions:",
      "  ikigai:",
      "    name: ikigai",
      "    type: stdio",
      "    enabled: true",
      `    cmd: ${JSON.stringify(command)}`,
      `    args: ${JSON.stringify(args)}`,
      "    envs: {}",
      "    timeout: 600",
      "",
    ].join("\n"),
  }),
  amp: (start) => file("~/.config/amp/settings.json", { "amp.mcpServers": { ikigai: start } }),
};

const run = "Run this:";

function addTo(path: string): string {
  return `Add this to ${path}:`;
}

function file(path: string, part: object): ClientSetup {
  return { where: addTo(path), part: `${JSON.stringify(part, null, 2)}\n` };
}

function shellLine(before: string, { command, args }: Start): string {
  return `${before} ${[command, ...args].map(shellWord).join(" ")}\n`;
}
