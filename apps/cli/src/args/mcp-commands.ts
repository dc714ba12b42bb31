// The subcommands about MCP servers and clients: operands, options and help of each.

import { type CommandSyntax, conversationOptions, sandboxOptions } from "./option.ts";
import { json, yes } from "./tool-commands.ts";

/** The programs whose setup `ikigai mcp serve --setup` prints. */
export const mcpClients = ["claude", "codex", "gemini", "opencode", "cursor", "vscode", "zed", "goose", "amp"] as const;
export type McpClient = (typeof mcpClients)[number];

/** The subcommands for MCP, in the order of the help. */
export const mcpCommands = {
  "mcp add": {
    name: "mcp add",
    summary: "add the tools of an MCP server; starts it, shows them and asks first",
    operands: [{ name: "NAME" }, { name: "URL | npm:PACKAGE | -- COMMAND", isRepeated: true }],
    options: {
      from: {
        value: "FILE",
        completes: "file",
        summary: "add the servers NAME... of .mcp.json or of an editor's file; without NAME, all of them",
      },
      env: {
        value: "K[=V]",
        repeated: true,
        summary: "set a variable of the server; without a value, pass on yours; can be repeated",
      },
      header: { value: "K:V", repeated: true, summary: "send this header to a remote server; can be repeated" },
      host: { value: "HOST", repeated: true, summary: "in the sandbox, let it reach this host; can be repeated" },
      read: {
        value: "PATH",
        repeated: true,
        completes: "file",
        summary: "in the sandbox, let it read this; can be repeated",
      },
      write: {
        value: "PATH",
        repeated: true,
        completes: "file",
        summary: "in the sandbox, let it change this; can be repeated",
      },
      include: { value: "GLOB", repeated: true, summary: "add only these tools; can be repeated" },
      exclude: { value: "GLOB", repeated: true, summary: "leave out these tools; can be repeated" },
      here: { summary: "add them for this directory only; the default for a file in the project" },
      ...yes,
    },
  },
  "mcp list": {
    name: "mcp list",
    summary: "list the MCP servers and their status",
    operands: [],
    options: json,
  },
  "mcp test": {
    name: "mcp test",
    summary: "start an MCP server and compare its tools with those you added",
    operands: [
      { name: "NAME", completes: "mcp-server" },
      { name: "JSON", isOptional: true },
    ],
    options: {
      call: { value: "TOOL", completes: "mcp-tool", summary: "also call this tool, with the arguments JSON" },
      ...json,
    },
  },
  "mcp update": {
    name: "mcp update",
    summary: "update the tools of MCP servers; shows the changes and asks first",
    operands: [{ name: "NAME", isOptional: true, completes: "mcp-server" }],
    options: { all: { summary: "update all servers, as without NAME" }, ...yes },
  },
  "mcp remove": {
    name: "mcp remove",
    summary: "remove an MCP server, its tools and its data",
    operands: [{ name: "NAME", completes: "mcp-server" }],
    options: yes,
  },
  "mcp login": {
    name: "mcp login",
    summary: "log in to a remote MCP server; on a terminal, opens a browser",
    operands: [
      { name: "NAME", completes: "mcp-server" },
      { name: "URL", isOptional: true },
    ],
    options: {
      "client-id": { value: "ID", summary: "use this client, registered with the authorization server" },
      "callback-port": { value: "PORT", summary: "listen for the browser on this port" },
      here: { summary: "log in to add it for this directory only" },
      ...yes,
    },
  },
  "mcp logout": {
    name: "mcp logout",
    summary: "revoke and remove the tokens of an MCP server",
    operands: [{ name: "NAME", completes: "mcp-server" }],
    options: {},
  },
  "mcp serve": {
    name: "mcp serve",
    summary: "serve ikigai's tools to another agent, as an MCP server over stdin and stdout",
    operands: [],
    options: {
      tools: {
        value: "NAME,…",
        completes: "tool",
        summary: "serve only these tools (default: all but agent and those of MCP servers)",
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
