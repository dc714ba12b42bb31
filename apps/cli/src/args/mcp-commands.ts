import { conversationOptions, sandboxOptions } from "./main-options.ts";
import type { CommandSyntax } from "./option.ts";

/** The programs whose setup `ikigai mcp serve --setup` prints. */
export const mcpClients = ["claude", "codex", "gemini", "opencode", "cursor", "vscode", "zed", "goose", "amp"] as const;
export type McpClient = (typeof mcpClients)[number];

/** The subcommands for MCP, in the order of the help. */
export const mcpCommands = {
  "mcp serve": {
    name: "mcp serve",
    summary: "serve ikigai's tools to another agent, an MCP client at stdin and stdout",
    operands: [],
    options: {
      tools: {
        value: "NAME,…",
        completes: "tool",
        summary: "serve only these tools (default: all but those of MCP servers)",
      },
      allow: conversationOptions.allow,
      "permission-mode": conversationOptions["permission-mode"],
      ...sandboxOptions,
      dir: {
        value: "DIR",
        completes: "directory",
        summary: "work in DIR (default: the working directory, unless / or home)",
      },
      setup: { value: "CLIENT", oneOf: mcpClients, summary: "print how to set this client up, and exit" },
    },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;
