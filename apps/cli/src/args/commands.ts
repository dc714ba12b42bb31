import type { HookEvent } from "@ikigai/core/internal";
import { languageNames } from "@ikigai/create-tool/languages";
import type { CommandGroup } from "./command-groups.ts";
import { conversationOptions, mainOptions, sandboxOptions } from "./main-options.ts";
import { mcpCommands } from "./mcp-commands.ts";
import type { CommandSyntax, Options } from "./option.ts";
import { setupCommands, upgradeCommands } from "./setup-commands.ts";
import { shells } from "./shells.ts";

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

const json = { json: { summary: "print JSON" } } as const satisfies Options;
const yes = { yes: { short: "y", summary: "assume yes" } } as const satisfies Options;
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
    summary: "call a tool as a model would; - reads the arguments from stdin",
    operands: [
      { name: "NAME", completes: "tool" },
      { name: "JSON | -", isOptional: true },
    ],
    options: sandboxOptions,
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
    summary: "create a working tool with a test",
    operands: [{ name: "NAME", isOptional: true }],
    options: {
      lang: { value: "LANGUAGE", oneOf: languageNames, summary: "write it in this language" },
      ...project,
      dir: { value: "DIR", completes: "directory", summary: "create it in DIR instead; ikigai does not search DIR" },
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
