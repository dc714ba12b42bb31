// The subcommands about tools: operands, options and help of each.

import { languageNames } from "@ikigai/create-tool/languages";
import { type CommandSyntax, type Options, sandboxOptions } from "./option.ts";

/** The languages of new plain tools; the first one is the default. */
const plainLanguages = ["sh", "bash", "python", "ruby", "perl", "node", "awk"] as const;
export type PlainLanguage = (typeof plainLanguages)[number];

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

export const json = { json: { summary: "print JSON" } } as const;
export const yes = { yes: { short: "y", summary: "assume yes" } } as const;
export const dryRun = { "dry-run": { summary: "show what would change and exit" } } as const satisfies Options;
const project = {
  project: { summary: "use the project's .ikigai instead of your ~/.ikigai" },
} as const satisfies Options;

/** In the order of the help. */
export const toolCommands = {
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
    options: {
      result: { summary: "print the result alone; of a plain tool, what its program prints" },
      ...sandboxOptions,
    },
    explainsOperand: true,
  },
  "tool path": {
    name: "tool path",
    summary: "print what makes your tools commands of your shell",
    operands: [],
    options: {},
  },
  "tool types": {
    name: "tool types",
    summary: "write modules for JavaScript, TypeScript and Python that call your tools",
    operands: [],
    options: {
      out: { value: "DIR", completes: "directory", summary: "write them in DIR (default: the working directory)" },
    },
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
  "tool eval": {
    name: "tool eval",
    summary: "test how often a model does the tasks in a tool's evals",
    operands: [{ name: "NAME", completes: "tool" }],
    options: {
      model: { short: "m", value: "PROVIDER/MODEL", completes: "model", summary: "use this model" },
      runs: { value: "N", summary: "do each task N times (default: 5)" },
      only: { value: "EVAL", repeated: true, summary: "only this eval; can be repeated" },
      evals: { value: "DIR", completes: "directory", summary: "read them from DIR (default: evals beside the tool)" },
      against: { value: "PATH", completes: "file", summary: "compare with this version of the tool" },
      description: { value: "TEXT", summary: "compare with this description of the tool" },
      record: { summary: "keep the runs that pass, for --replay" },
      replay: { summary: "repeat the calls of recorded runs, without a model" },
      ...json,
      ...sandboxOptions,
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
    options: {
      name: { value: "NAME", summary: "call it this (default: the name of SOURCE)" },
      only: { value: "COMMAND", repeated: true, summary: "of several commands only this one; * is any text" },
      server: { value: "URL", summary: "the server of an OpenAPI document" },
      ...project,
      ...yes,
    },
  },
  "tool export": {
    name: "tool export",
    summary: "give a tool to another agent; shows the file and asks first",
    operands: [{ name: "NAME", isOptional: true, isRepeated: true, completes: "tool" }],
    options: {
      to: { value: "AGENT", oneOf: exportTargets, summary: "the agent, or the format" },
      all: { summary: "all your own tools" },
      here: { summary: "for this project only" },
      check: { summary: "start the agent in an empty home, with a model that calls the tool once" },
      call: { value: "JSON", summary: "the arguments of that call (default: an example of the schema)" },
      remove: { summary: "take the tool away from the agent" },
      ...yes,
    },
  },
  "tool search": {
    name: "tool search",
    summary: "search your npm registry for tools",
    operands: [{ name: "WORDS", isOptional: true, isRepeated: true }],
    options: json,
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
} as const satisfies Readonly<Record<string, CommandSyntax>>;
