import { languageNames } from "@ikigai/create-tool/languages";
import { sandboxOptions } from "./main-options.ts";
import type { CommandSyntax, Options } from "./option.ts";
import { setupCommands } from "./setup-commands.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

const json = { json: { summary: "as JSON, for programs" } } as const satisfies Options;
const yes = { yes: { short: "y", summary: "ask nothing; the answer is yes" } } as const satisfies Options;
const dryRun = { "dry-run": { summary: "show what would change, and change nothing" } } as const satisfies Options;
const project = {
  project: { summary: "in the project's .ikigai instead of your own ~/.ikigai" },
} as const satisfies Options;

/** All subcommands, in the order of the help. */
export const commands = {
  "tool list": {
    name: "tool list",
    summary: "the tools, and those that could not be loaded",
    operands: [],
    options: json,
  },
  "tool show": {
    name: "tool show",
    summary: "a tool's path and schema",
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
    summary: "test whether an executable keeps to the protocol",
    operands: [{ name: "PATH", completes: "tool-file" }],
    options: {
      call: { value: "JSON", repeated: true, summary: "arguments that the tool has to answer; can be repeated" },
      examples: { summary: 'call it with the "examples" of its parameters, though it does not say so' },
      cwd: { value: "DIR", completes: "directory", summary: "where those calls are made; else in an empty directory" },
      only: { value: "ID,…", repeated: true, completes: "check", summary: "these checks, and what they need" },
      skip: { value: "ID,…", repeated: true, completes: "check", summary: "all checks but these" },
      strict: { summary: "what a tool should do counts like what it must do" },
      tap: { summary: "the report as TAP 14" },
      json: { summary: "the report as one JSON object" },
      list: { summary: "only list the checks" },
    },
  },
  "tool new": {
    name: "tool new",
    summary: "write a tool that works at once, with a test",
    operands: [{ name: "NAME" }],
    options: {
      lang: { value: "LANGUAGE", oneOf: languageNames, required: true, summary: "the language it is written in" },
      ...project,
      dir: { value: "DIR", completes: "directory", summary: "somewhere else, where it is not found by itself" },
    },
  },
  "tool add": {
    name: "tool add",
    summary: "add tools from npm, git, a folder or a file; shows them and asks first",
    operands: [{ name: "SOURCE", completes: "file" }],
    options: { ...project, name: { value: "NAME", summary: "name for its only tool" }, ...yes, ...dryRun },
  },
  "tool update": {
    name: "tool update",
    summary: "fetch added tools again, show what changes, and ask",
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
    summary: "the calls of a session (the last one), each as the shell line that repeats it",
    operands: [{ name: "SESSION", isOptional: true, completes: "session" }],
    options: json,
  },
  replay: {
    name: "replay",
    summary: "make a call of a session again, and compare",
    operands: [{ name: "CALL", completes: "call" }],
    options: {
      session: { value: "SESSION", completes: "session", summary: "of which session; else of this directory's last" },
      ...yes,
      ...json,
      ...sandboxOptions,
    },
  },
  ...setupCommands,
  trust: {
    name: "trust",
    summary: "let the tools of a project run, until one of its files changes",
    operands: [{ name: "DIR", isOptional: true, completes: "directory" }],
    options: { show: { summary: "only tell what they are" }, revoke: { summary: "no more" } },
  },
  doctor: {
    name: "doctor",
    summary: "what is set up, and what is wrong",
    operands: [],
    options: sandboxOptions,
  },
  completion: {
    name: "completion",
    summary: "print what makes a shell complete ikigai's commands",
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

/** What may be typed first. */
export const firstWords: readonly string[] = [
  ...new Set(Object.keys(commands).map((name) => name.split(" ")[0] ?? "")),
];

/** The words that several commands begin with, each with a summary of those commands. */
export const commandGroups = {
  tool: "list, show, call, check, write and add tools",
  config: "read and change the configuration",
} as const;

export type CommandGroup = keyof typeof commandGroups;

/** The group whose commands are also found without its word: `ikigai help add`. */
export const commandGroup = "tool" satisfies CommandGroup;

export function isCommandGroup(word: string | undefined): word is CommandGroup {
  return word !== undefined && Object.hasOwn(commandGroups, word);
}

/** What may follow the word of a group. */
export function namesInGroup(group: CommandGroup): readonly string[] {
  return Object.keys(commands).flatMap((name) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}

/** The commands whose names begin with `tool`. */
export const toolCommandNames: readonly string[] = namesInGroup(commandGroup);

/** The command that a command line begins with, and the rest of the line. */
export function findCommand(
  words: readonly string[],
): { readonly name: CommandName; readonly args: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    if (Object.hasOwn(commands, name)) return { name: name as CommandName, args: words.slice(length) };
  }
  return undefined;
}
