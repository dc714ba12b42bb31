// The subcommands in groups, about tools, MCP servers and clients, and saved sessions: operands, options and help of each.

import { languageNames } from "@ikigai/create-tool/languages";
import { type CommandSyntax, conversationOptions, type Options, sandboxOptions } from "./option.ts";

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
    needs: "config",
    isForUser: false,
    operands: [],
    options: json,
  },
  "tool show": {
    name: "tool show",
    summary: "show a tool's path and schema",
    needs: "config",
    isForUser: false,
    operands: [{ name: "NAME", completes: "tool" }],
    options: {},
  },
  "tool call": {
    name: "tool call",
    summary: "call a tool as a model would, with KEY=VALUE, JSON, or - for JSON from stdin",
    needs: "config",
    isForUser: false,
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
    needs: "config",
    isForUser: true,
    operands: [],
    options: {},
  },
  "tool types": {
    name: "tool types",
    summary: "write modules for JavaScript, TypeScript and Python that call your tools",
    needs: "config",
    isForUser: false,
    operands: [],
    options: {
      out: { value: "DIR", completes: "directory", summary: "write them in DIR (default: the working directory)" },
      ...yes,
    },
  },
  "tool check": {
    name: "tool check",
    summary: "test whether an executable follows the protocol",
    needs: "config",
    isForUser: false,
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
    needs: "config",
    isForUser: false,
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
    needs: "directory",
    isForUser: false,
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
    needs: "directory",
    isForUser: false,
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
    needs: "config",
    isForUser: true,
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
    summary: "search npm's registry and your own for tools",
    needs: "directory",
    isForUser: false,
    operands: [{ name: "WORDS", isOptional: true, isRepeated: true }],
    options: json,
  },
  "tool add": {
    name: "tool add",
    summary: "add tools from npm, git, a folder or a file; shows them and asks first",
    needs: "config",
    isForUser: true,
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
    needs: "config",
    isForUser: true,
    operands: [{ name: "NAME", completes: "tool" }],
    options: { revoke: { summary: "take it back" }, ...yes },
  },
  "tool update": {
    name: "tool update",
    summary: "update installed tools; shows the changes and asks first",
    needs: "config",
    isForUser: true,
    operands: [{ name: "NAME", isOptional: true, completes: "installed" }],
    options: { ...project, ...yes, ...dryRun },
  },
  "tool remove": {
    name: "tool remove",
    summary: "remove tools",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "NAME", completes: "installed" }],
    options: { ...project, ...yes, ...dryRun },
  },
  "tool log": {
    name: "tool log",
    summary: "list a session's calls as shell commands (default: this directory's last one)",
    needs: "directory",
    isForUser: false,
    operands: [{ name: "SESSION", isOptional: true, completes: "session" }],
    options: { tree: { summary: "with the calls of its agents" }, ...json },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

/** The programs whose setup `ikigai mcp serve --setup` prints. */
export const mcpClients = ["claude", "codex", "gemini", "opencode", "cursor", "vscode", "zed", "goose", "amp"] as const;
export type McpClient = (typeof mcpClients)[number];

/** The subcommands for MCP, in the order of the help. */
export const mcpCommands = {
  "mcp add": {
    name: "mcp add",
    summary: "add the tools of an MCP server; starts it, shows them and asks first",
    needs: "config",
    isForUser: true,
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
    needs: "directory",
    isForUser: false,
    operands: [],
    options: json,
  },
  "mcp test": {
    name: "mcp test",
    summary: "start an MCP server and compare its tools with those you added",
    needs: "config",
    isForUser: false,
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
    needs: "config",
    isForUser: true,
    operands: [{ name: "NAME", isOptional: true, completes: "mcp-server" }],
    options: { all: { summary: "update all servers, as without NAME" }, ...yes },
  },
  "mcp remove": {
    name: "mcp remove",
    summary: "remove an MCP server, its tools and its data",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "NAME", completes: "mcp-server" }],
    options: yes,
  },
  "mcp login": {
    name: "mcp login",
    summary: "log in to a remote MCP server; on a terminal, opens a browser",
    needs: "directory",
    isForUser: true,
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
    needs: "directory",
    isForUser: true,
    operands: [{ name: "NAME", completes: "mcp-server" }],
    options: {},
  },
  "mcp serve": {
    name: "mcp serve",
    summary: "serve ikigai's tools to another agent, as an MCP server over stdin and stdout",
    needs: "config",
    isForUser: false,
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

const session = { name: "SESSION", completes: "session" } as const;

/** Which sessions are meant. */
const filters = {
  project: { value: "DIR", completes: "directory", summary: "only sessions of DIR and the directories below it" },
  since: { value: "TIME", summary: "only sessions used since then: 7d, 12h, 30m, 2w or a date, 2026-11-01" },
  tool: { value: "NAME", completes: "tool", summary: "only sessions with calls of this tool; search: only in them" },
  file: { value: "PATH", completes: "file", summary: "only sessions whose file tools changed this file" },
} as const satisfies Options;

const limit = { limit: { value: "N", summary: "show at most N sessions (default: 20)" } } as const satisfies Options;

/** In the order of the help. */
export const sessionCommands = {
  "sessions list": {
    name: "sessions list",
    summary: "list the sessions of all projects, as ikigai sessions does",
    needs: "directory",
    isForUser: false,
    operands: [],
    options: { ...filters, archived: { summary: "list the archived sessions" }, ...limit, ...json },
  },
  "sessions search": {
    name: "sessions search",
    summary: "find words in messages, answers, calls and results",
    needs: "directory",
    isForUser: false,
    operands: [{ name: "WORDS", isRepeated: true }],
    options: { ...filters, ...limit, ...json },
  },
  "sessions archive": {
    name: "sessions archive",
    summary: "leave sessions out of the lists; search still finds them",
    needs: "directory",
    isForUser: true,
    operands: [{ ...session, isRepeated: true }],
    options: { restore: { summary: "put them back into the lists" } },
  },
  "sessions delete": {
    name: "sessions delete",
    summary: "delete sessions and their files; asks first",
    needs: "directory",
    isForUser: true,
    operands: [{ ...session, isRepeated: true }],
    options: yes,
  },
  "sessions export": {
    name: "sessions export",
    summary: "write a session as Markdown, or as HTML or JSON, to FILE or stdout",
    needs: "directory",
    isForUser: false,
    operands: [session, { name: "FILE", isOptional: true, completes: "file" }],
    options: {
      md: { summary: "as Markdown, the default unless FILE ends in .html or .json" },
      html: { summary: "as one page with folded calls, images and a search" },
      json: { summary: "as JSON, which sessions import reads" },
    },
  },
  "sessions share": {
    name: "sessions share",
    summary: "write a page without keys, home paths and hosts; shows it and asks first",
    needs: "directory",
    isForUser: true,
    operands: [session, { name: "FILE", isOptional: true, completes: "file" }],
    options: yes,
  },
  "sessions import": {
    name: "sessions import",
    summary: "make a session of a shared page (or exported JSON)",
    needs: "directory",
    isForUser: true,
    operands: [{ name: "FILE", completes: "file" }],
    options: {},
  },
  cost: {
    name: "cost",
    summary: "add up what all sessions have cost, from their logs",
    needs: "directory",
    isForUser: false,
    operands: [],
    options: {
      since: { value: "TIME", summary: "since then: 7d, 12h, 2w or a date, 2026-11-01 (default: 30d)" },
      by: { value: "WHAT", oneOf: ["model", "project", "tool"], summary: "by model (default), project or tool" },
      ...json,
    },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;
