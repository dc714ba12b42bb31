// The table of commands: operands, options and help of each.

import type { HookEvent } from "@ikigai/core/hooks";
import { dryRun, json, mcpCommands, sessionCommands, toolCommands, yes } from "./command-groups.ts";
import { type CommandSyntax, conversationOptions, mainOptions, sandboxOptions } from "./option.ts";

/** The first words that several commands share, each with a summary of those commands. */
export const commandGroups = {
  tool: "list, show, call, check, create and install tools",
  sessions: "list, search, delete, archive, export and share sessions",
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

/** The agents that `ikigai import` knows. */
export const otherAgentNames = ["claude", "codex", "gemini", "opencode", "pi"] as const;

/** The subcommands that set ikigai up, in the order of the help. */
export const setupCommands = {
  setup: {
    name: "setup",
    summary: "choose a model, test it and write the configuration",
    needs: "directory",
    isForUser: true,
    operands: [],
    options: {},
  },
  models: {
    name: "models",
    summary: "list the models you can use now",
    needs: "directory",
    isForUser: false,
    operands: [{ name: "PROVIDER", isOptional: true, completes: "model-provider" }],
    options: { json: { summary: "as JSON, for programs" } },
  },
  login: {
    name: "login",
    summary: "store an API key, or sign in to chatgpt or copilot",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "PROVIDER", isOptional: true, completes: "provider" }],
    options: {
      "no-check": { summary: "do not test the key" },
      status: { summary: "list where each key comes from, and exit" },
    },
  },
  logout: {
    name: "logout",
    summary: "remove a stored API key, or end a sign-in",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "PROVIDER", isOptional: true, completes: "provider" }],
    options: {},
  },
  import: {
    name: "import",
    summary: "take over what claude, codex, gemini, opencode or pi has; asks first",
    needs: "config",
    isForUser: true,
    operands: [{ name: "AGENT", completes: "other-agent" }],
    options: { ...yes },
  },
  "config get": {
    name: "config get",
    summary: "print a setting, or all of them; hides API keys",
    needs: "directory",
    isForUser: false,
    operands: [{ name: "KEY", isOptional: true, completes: "setting" }],
    options: {},
  },
  "config set": {
    name: "config set",
    summary: "change a setting; rejects an invalid value",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "KEY", completes: "setting" }, { name: "VALUE" }],
    options: {},
  },
  "config unset": {
    name: "config unset",
    summary: "remove a setting",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "KEY", completes: "setting" }],
    options: {},
  },
  "config edit": {
    name: "config edit",
    summary: "open the configuration in your editor, and check it afterwards",
    needs: "directory",
    isForUser: true,
    operands: [],
    options: {},
  },
  "config schema": {
    name: "config schema",
    summary: "print the JSON Schema of the configuration, of keys.json or of theme files",
    needs: "directory",
    isForUser: false,
    operands: [{ name: schemaNames.join("|"), isOptional: true, oneOf: schemaNames }],
    options: {},
  },
  "config path": {
    name: "config path",
    summary: "print the path of the configuration",
    needs: "directory",
    isForUser: false,
    operands: [],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** The subcommands about this copy of ikigai. */
export const upgradeCommands = {
  upgrade: {
    name: "upgrade",
    summary: "print the command that updates ikigai",
    needs: "nothing",
    isForUser: true,
    operands: [],
    options: {},
  },
  uninstall: {
    name: "uninstall",
    summary: "print the command that removes ikigai, and list the files that stay",
    needs: "nothing",
    isForUser: true,
    operands: [],
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** The events of hooks, in the order of a session. Repeated here, because core is not loaded to read a command line. */
const hookEventWords = [
  "session-start",
  "prompt",
  "before-call",
  "question",
  "after-call",
  "before-compact",
  "stop",
  "session-end",
] as const satisfies readonly HookEvent[];

/** The subcommands about hooks. */
const hookCommands = {
  "hook list": {
    name: "hook list",
    summary: "list the hooks, and those that cannot be run",
    needs: "directory",
    isForUser: false,
    operands: [],
    options: { json: { summary: "print JSON" } },
  },
  "hook test": {
    name: "hook test",
    summary: "run the hooks of an event, and show their answers",
    needs: "config",
    isForUser: false,
    operands: [
      { name: "EVENT", oneOf: hookEventWords },
      { name: "JSON | -", isOptional: true },
    ],
    options: {
      tool: { value: "NAME", completes: "tool", summary: "the tool that is called, for before-call and after-call" },
    },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** All subcommands, in the order of the help. */
export const commands = {
  ...toolCommands,
  ...mcpCommands,
  ...sessionCommands,
  replay: {
    name: "replay",
    summary: "repeat a recorded call, and compare the results",
    needs: "config",
    isForUser: false,
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
    needs: "directory",
    isForUser: false,
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
    needs: "config",
    isForUser: false,
    operands: [],
    options: conversationOptions,
  },
  trust: {
    name: "trust",
    summary: "let a project's tools run until a file changes; shows the files and asks first",
    needs: "directory",
    isForUser: true,
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
    needs: "config",
    isForUser: false,
    operands: [],
    options: { model: mainOptions.model, ...yes, ...dryRun },
  },
  doctor: {
    name: "doctor",
    summary: "check the setup and report problems",
    needs: "directory",
    isForUser: false,
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
    needs: "nothing",
    isForUser: false,
    operands: [{ name: shells.join("|"), oneOf: shells }],
    options: {},
  },
  help: {
    name: "help",
    summary: "explain a topic or a command; without one, list the topics",
    needs: "nothing",
    isForUser: false,
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
