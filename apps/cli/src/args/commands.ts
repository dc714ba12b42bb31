// The table of commands: operands, options and help of each.

import type { HookEvent } from "@ikigai/core/internal";
import { languageNames } from "@ikigai/create-tool/languages";
import { type CommandSyntax, conversationOptions, mainOptions, type Options, sandboxOptions } from "./option.ts";

/** The first words that several commands share, each with a summary of those commands. */
export const commandGroups = {
  tool: "list, show, call, check, create and install tools",
  hook: "list and test hooks",
  mcp: "use MCP servers, and serve ikigai's tools to MCP clients",
  config: "read and change the configuration",
} as const;

export type CommandGroup = keyof typeof commandGroups;

/** The group whose commands help also finds without its word: `ikigai help add`. */
export const commandGroup = "tool" satisfies CommandGroup;

export function isCommandGroup(word: string | undefined): word is CommandGroup {
  return word !== undefined && Object.hasOwn(commandGroups, word);
}

/** The shells that ikigai completes its commands in. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The files that have a JSON Schema. */
const schemaNames = ["config", "keys", "theme"];

/** The languages of new plain tools; the first one is the default. */
const plainLanguages = ["sh", "bash", "python", "ruby", "perl", "node", "awk"] as const;
export type PlainLanguage = (typeof plainLanguages)[number];

/** The subcommands that set ikigai up, in the order of the help. */
export const setupCommands = {
  setup: {
    name: "setup",
    summary: "choose a model, test it and write the configuration",
    operands: [],
    options: {},
  },
  models: {
    name: "models",
    summary: "list the models you can use now",
    operands: [{ name: "PROVIDER", isOptional: true, completes: "model-provider" }],
    options: { json: { summary: "as JSON, for programs" } },
  },
  login: {
    name: "login",
    summary: "test an API key by listing the models, and store it",
    operands: [{ name: "PROVIDER", isOptional: true, completes: "provider" }],
    options: {
      "no-check": { summary: "do not test the key" },
      status: { summary: "list where each key comes from, and exit" },
    },
  },
  logout: {
    name: "logout",
    summary: "remove a stored API key",
    operands: [{ name: "PROVIDER", isOptional: true, completes: "provider" }],
    options: {},
  },
  "config get": {
    name: "config get",
    summary: "print a setting, or all of them; hides API keys",
    operands: [{ name: "KEY", isOptional: true, completes: "setting" }],
    options: {},
  },
  "config set": {
    name: "config set",
    summary: "change a setting; rejects an invalid value",
    operands: [{ name: "KEY", completes: "setting" }, { name: "VALUE" }],
    options: {},
  },
  "config unset": {
    name: "config unset",
    summary: "remove a setting",
    operands: [{ name: "KEY", completes: "setting" }],
    options: {},
  },
  "config edit": {
    name: "config edit",
    summary: "open the configuration in your editor, and check it afterwards",
    operands: [],
    options: {},
  },
  "config schema": {
    name: "config schema",
    summary: "print the JSON Schema of the configuration, of keys.json or of theme files",
    operands: [{ name: schemaNames.join("|"), isOptional: true, oneOf: schemaNames }],
    options: {},
  },
  "config path": {
    name: "config path",
    summary: "print the path of the configuration",
    operands: [],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** The subcommands about this copy of ikigai. */
export const upgradeCommands = {
  upgrade: { name: "upgrade", summary: "print the command that updates ikigai", operands: [], options: {} },
  uninstall: {
    name: "uninstall",
    summary: "print the command that removes ikigai, and list the files that stay",
    operands: [],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** The programs whose setup `ikigai mcp serve --setup` prints. */
export const mcpClients = ["claude", "codex", "gemini", "opencode", "cursor", "vscode", "zed", "goose", "amp"] as const;
export type McpClient = (typeof mcpClients)[number];

/** The agents, and the formats, that `ikigai tool export` writes. */
export const exportTargets = [
  "claude-code",
  "codex",
  "gemini",
  "opencode",
  "pi",
  "amp",
  "goose",
  "zed",
  "vscode",
  "mcp",
  "llm-functions",
  "openai-json",
] as const;
export type ExportTarget = (typeof exportTargets)[number];

const json = { json: { summary: "print JSON" } } as const;
const yes = { yes: { short: "y", summary: "assume yes" } } as const;

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

/** The events of hooks, in the order of a session. Repeated here, because core is not loaded to read a command line. */
const hookEventWords = [
  "session-start",
  "prompt",
  "before-call",
  "question",
  "after-call",
  "stop",
  "session-end",
] as const satisfies readonly HookEvent[];

/** The subcommands about hooks. */
const hookCommands = {
  "hook list": {
    name: "hook list",
    summary: "list the hooks, and those that cannot be run",
    operands: [],
    options: { json: { summary: "print JSON" } },
  },
  "hook test": {
    name: "hook test",
    summary: "run the hooks of an event, and show their answers",
    operands: [
      { name: "EVENT", oneOf: hookEventWords },
      { name: "JSON | -", isOptional: true },
    ],
    options: {
      tool: { value: "NAME", completes: "tool", summary: "the tool that is called, for before-call and after-call" },
    },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

const dryRun = { "dry-run": { summary: "show what would change and exit" } } as const satisfies Options;
const project = {
  project: { summary: "use the project's .ikigai instead of your ~/.ikigai" },
} as const satisfies Options;

/** All subcommands, in the order of the help. */
export const commands = {
  "tool list": {
    name: "tool list",
    summary: "list the tools, and those that could not be loaded",
    operands: [],
    options: json,
  },
  "tool show": {
    name: "tool show",
    summary: "show a tool's path and schema",
    operands: [{ name: "NAME", completes: "tool" }],
    options: {},
  },
  "tool call": {
    name: "tool call",
    summary: "call a tool as a model would, with KEY=VALUE, JSON, or - for JSON from stdin",
    operands: [
      { name: "NAME", completes: "tool" },
      { name: "KEY=VALUE", isOptional: true, isRepeated: true, completes: "tool-argument" },
    ],
    options: sandboxOptions,
    explainsOperand: true,
  },
  "tool check": {
    name: "tool check",
    summary: "test whether an executable follows the protocol",
    operands: [{ name: "PATH", completes: "tool-file" }],
    options: {
      call: { value: "JSON", repeated: true, summary: "call it with these arguments; can be repeated" },
      examples: { summary: "call it with the examples of its schema, even if not declared read-only" },
      cwd: { value: "DIR", completes: "directory", summary: "make those calls in DIR (default: an empty directory)" },
      only: {
        value: "ID,…",
        repeated: true,
        completes: "check",
        summary: "run only these checks and their prerequisites",
      },
      skip: { value: "ID,…", repeated: true, completes: "check", summary: "skip these checks" },
      strict: { summary: "treat SHOULD violations as failures" },
      tap: { summary: "print the report as TAP 14" },
      json: { summary: "print the report as one JSON object" },
      list: { summary: "list the checks and exit" },
    },
  },
  "tool new": {
    name: "tool new",
    summary: "create a working tool: a script whose comments describe it",
    operands: [{ name: "NAME", isOptional: true }],
    options: {
      lang: {
        value: "LANGUAGE",
        oneOf: [...new Set([...plainLanguages, ...languageNames])],
        summary: "write it in this language (default: sh)",
      },
      json: { summary: "write the full form, which speaks JSON, with a test (bash, python, node, go, typescript)" },
      ...project,
      dir: { value: "DIR", completes: "directory", summary: "create it in DIR instead; ikigai does not search DIR" },
    },
  },
  "tool wrap": {
    name: "tool wrap",
    summary: "make a tool of a script or a project's tasks; shows it and asks first",
    operands: [{ name: "SOURCE", completes: "file" }],
    options: { name: { value: "NAME", summary: "call it this (default: the name of SOURCE)" }, ...project, ...yes },
  },
  "tool export": {
    name: "tool export",
    summary: "give a tool to another agent; shows the file and asks first",
    operands: [{ name: "NAME", isOptional: true, isRepeated: true, completes: "tool" }],
    options: {
      to: { value: "AGENT", oneOf: exportTargets, summary: "the agent, or the format" },
      all: { summary: "all your own tools" },
      here: { summary: "for this project only" },
      ...yes,
    },
  },
  "tool add": {
    name: "tool add",
    summary: "add tools from npm, git, a folder or a file; shows them and asks first",
    operands: [{ name: "SOURCE", completes: "file" }],
    options: {
      ...project,
      name: { value: "NAME", summary: "install its only tool under this name" },
      ...yes,
      ...dryRun,
    },
  },
  "tool allow": {
    name: "tool allow",
    summary: "show what a tool needs in the sandbox, and let it have that",
    operands: [{ name: "NAME", completes: "tool" }],
    options: { revoke: { summary: "take it back" }, ...yes },
  },
  "tool update": {
    name: "tool update",
    summary: "update installed tools; shows the changes and asks first",
    operands: [{ name: "NAME", isOptional: true, completes: "installed" }],
    options: { ...project, ...yes, ...dryRun },
  },
  "tool remove": {
    name: "tool remove",
    summary: "remove tools",
    operands: [{ name: "NAME", completes: "installed" }],
    options: { ...project, ...yes, ...dryRun },
  },
  "tool log": {
    name: "tool log",
    summary: "list a session's calls as shell commands (default: this directory's last one)",
    operands: [{ name: "SESSION", isOptional: true, completes: "session" }],
    options: { tree: { summary: "with the calls of its agents" }, ...json },
  },
  ...mcpCommands,
  replay: {
    name: "replay",
    summary: "repeat a recorded call, and compare the results",
    operands: [{ name: "CALL", completes: "call" }],
    options: {
      session: {
        value: "SESSION",
        completes: "session",
        summary: "use this session (default: this directory's last one)",
      },
      ...yes,
      ...json,
      ...sandboxOptions,
    },
  },
  undo: {
    name: "undo",
    summary: "restore the files that the last turn changed; shows them and asks first",
    operands: [{ name: "SESSION", isOptional: true, completes: "session" }],
    options: {
      list: { summary: "list the session's turns that changed files" },
      turn: { value: "N", summary: "undo turn N and all later ones" },
      ...yes,
      ...json,
    },
  },
  ...hookCommands,
  ...setupCommands,
  acp: {
    name: "acp",
    summary: "serve an editor over stdin and stdout (Agent Client Protocol)",
    operands: [],
    options: conversationOptions,
  },
  trust: {
    name: "trust",
    summary: "let a project's tools run until a file changes; shows the files and asks first",
    operands: [{ name: "DIR", isOptional: true, completes: "directory" }],
    options: {
      show: { summary: "list the files and exit" },
      revoke: { summary: "stop trusting this project" },
      ...yes,
    },
  },
  init: {
    name: "init",
    summary: "write AGENTS.md for the project with the model; shows it and asks first",
    operands: [],
    options: { model: mainOptions.model, ...yes, ...dryRun },
  },
  doctor: {
    name: "doctor",
    summary: "check the setup and report problems",
    operands: [],
    options: {
      sandbox: { summary: "check the setup for ikigai --sandbox: the sandbox must work" },
      "sandbox-network": { summary: "the same for ikigai --sandbox-network" },
    },
  },
  ...upgradeCommands,
  completion: {
    name: "completion",
    summary: "print a shell completion script",
    operands: [{ name: shells.join("|"), oneOf: shells }],
    options: {},
  },
  help: {
    name: "help",
    summary: "explain a topic or a command; without one, list the topics",
    operands: [{ name: "TOPIC | COMMAND", isOptional: true, isRepeated: true, completes: "topic" }],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

export type CommandName = keyof typeof commands;

/** The first words of the commands. */
export const firstWords: readonly string[] = [
  ...new Set(Object.keys(commands).map((name) => name.split(" ")[0] ?? "")),
];

/** The words that may follow a group's word. */
export function namesInGroup(group: CommandGroup): readonly string[] {
  return Object.keys(commands).flatMap((name) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}

/** Finds the command that a command line begins with; `args` is the rest of the line. */
export function findCommand(
  words: readonly string[],
): { readonly name: CommandName; readonly args: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    if (Object.hasOwn(commands, name)) return { name: name as CommandName, args: words.slice(length) };
  }
  return undefined;
}

/** Whether the command itself explains what its first word names. */
export function hasOwnHelp({ name, args }: { readonly name: CommandName; readonly args: readonly string[] }): boolean {
  const { explainsOperand }: CommandSyntax = commands[name];
  return explainsOperand === true && args[0] !== undefined && !args[0].startsWith("-");
}
