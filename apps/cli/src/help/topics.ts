// The topics of `ikigai help`: their order, the texts in topics/, and the tables that are filled in: keys, variables, modes, providers.

import { conversationModes, permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { commonProviders, providerNames, providerTable } from "@ikigai/models";
import { columns, narrowColumns, type Row } from "./columns.ts";
import { slashCommandForm, slashCommandTable } from "./slash-command-table.ts";
import agents from "./topics/agents.txt";
import commandsOfConversation from "./topics/commands.txt";
import config from "./topics/config.txt";
import editors from "./topics/editors.txt";
import environment from "./topics/environment.txt";
import exitCodes from "./topics/exit-codes.txt";
import files from "./topics/files.txt";
import hooks from "./topics/hooks.txt";
import instructions from "./topics/instructions.txt";
import keys from "./topics/keys.txt";
import launchers from "./topics/launchers.txt";
import mcp from "./topics/mcp.txt";
import models from "./topics/models.txt";
import permissions from "./topics/permissions.txt";
import print from "./topics/print.txt";
import protocol from "./topics/protocol.txt";
import replay from "./topics/replay.txt";
import sandbox from "./topics/sandbox.txt";
import sessions from "./topics/sessions.txt";
import skills from "./topics/skills.txt";
import tools from "./topics/tools.txt";
import trust from "./topics/trust.txt";
import web from "./topics/web.txt";

const titlesOf = (hasSandbox: boolean) =>
  conversationModes(hasSandbox)
    .map((mode) => permissionModeTable[mode].title)
    .join(", ");

/** The keys of the full screen. The help, its topic and the README are generated from this table. */
export const conversationKeys = [
  ["enter", "send; while the model works, add to its next step"],
  ["alt-enter", "queue until the answer is complete"],
  ["shift-enter, ctrl-j, \\ enter", "start a new line"],
  ["esc, ctrl-c", "stop the answer and its calls"],
  ["esc twice", "go back in the conversation, on an empty line: /rewind"],
  ["ctrl-c twice, ctrl-d", "quit, on an empty line"],
  ["ctrl-z", "suspend"],
  ["up", "recall what you typed before; take back queued messages (also alt-up)"],
  ["ctrl-r", "search what you typed, in all projects"],
  ["ctrl-o", "show all calls in full"],
  ["ctrl-g", "edit the message in $EDITOR"],
  ["shift-tab", `change the mode: ${titlesOf(true)}; without a sandbox: ${titlesOf(false)}`],
  ["ctrl-t", "change how much the model thinks"],
  ["ctrl-p", "switch to the next model used so far; with only one, choose from the list"],
  ["ctrl-v", "paste the clipboard's image"],
  ["ctrl-l", "clear the screen"],
  ["?", "show the keys, on an empty line"],
  ["ctrl-k", "find a command, on an empty line; else delete to the end of the line"],
  ["tab", "complete a command, a file or a name; go to a question that waits, from which shift-tab goes back"],
  ["@", "mention a file of the project; images are attached"],
  ["!command", "run a command yourself, as part of the conversation; with & at its end, in the background"],
  ["!!command", "run a command in your terminal, outside the conversation"],
] as const satisfies readonly (readonly [keys: string, meaning: string])[];

/** The variables that ikigai reads; related ones share a row. */
export const environmentVariables: readonly Row[] = [
  ["IKIGAI_HOME", "replaces ~/.ikigai: configuration, tools, sessions, trust"],
  ["IKIGAI_LIBEXEC", "directory of the shipped tools"],
  ["IKIGAI_TOOL_PATH", "more tool directories, separated by : (the first one wins)"],
  ["IKIGAI_BWRAP", "path of the bwrap that the sandbox uses"],
  ["IKIGAI_NO_SERVE=1", "a new process for every call"],
  ["IKIGAI_WEB_ALLOW", "hosts and subnets that web_fetch may reach besides the internet"],
  ["IKIGAI_WEB_SEARCH", "service of web_search: searxng, brave, tavily, kagi"],
  ["SEARXNG_BASE_URL", "base URL of SearXNG, for web_search"],
  ["BRAVE_API_KEY, BRAVE_BASE_URL", "API key and base URL of Brave Search"],
  ["TAVILY_API_KEY, TAVILY_BASE_URL", "API key and base URL of Tavily"],
  ["KAGI_API_KEY, KAGI_BASE_URL", "API key and base URL of Kagi"],
  ...[...commonProviders, "openai-compatible" as const].map((name): Row => {
    const { keyVariable, baseUrlVariable } = providerTable[name];
    return [`${keyVariable}, ${baseUrlVariable}`, `API key and base URL of ${name}`];
  }),
  ["OPENROUTER_API_KEY …", "keys and base URLs of others: ikigai help models"],
  ["GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION", "project and location (default: global) of vertex"],
  ["AWS_REGION", "region of bedrock; default: us-east-1"],
  ["OLLAMA_HOST", "address of Ollama"],
  ["HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "proxies for requests to providers and the web"],
  ["NODE_EXTRA_CA_CERTS", "file with more certificate authorities"],
  ["XDG_CACHE_HOME", "replaces ~/.cache, for the pages of web_fetch"],
  ["XDG_STATE_HOME", "replaces ~/.local/state, for worktrees"],
  ["VISUAL, EDITOR", "editor for ctrl-g and config edit"],
  ["SHELL", "passed to interactive programs started with !"],
  ["NO_COLOR", "no colours"],
  ["TERM=dumb", "no full screen"],
  ["LC_ALL, LC_CTYPE, LANG", "C or POSIX: no full screen; symbols, but not messages, in ASCII"],
  [
    "GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME",
    "locations of git's configuration, and of secrets that the sandbox hides",
  ],
  ["IKIGAI_CALL_ID, CLAUDE_PROJECT_DIR", "set for calls and for hooks: a call cannot change trust, keys and tools"],
  ["CDPATH", "if set, commands with cd need approval"],
  ["BASH_ENV, ENV, BASHOPTS, SHELLOPTS", "not passed to commands; tools and hooks get no file of the project in them"],
  ["NODE_DISABLE_COMPILE_CACHE=1", "do not write a compile cache"],
  ["NODE_OPTIONS", "options for Node itself"],
];

/** Texts generated from the program's own tables. A topic names a table as `{name}` on its own line, a list as `{name}` inside a line. */
const topicTables: Readonly<Record<string, string>> = {
  modes: narrowColumns(permissionModes.map((mode) => [mode, permissionModeTable[mode].about])),
  keys: narrowColumns(conversationKeys),
  slash: columns(
    Object.entries(slashCommandTable).map((command) => [slashCommandForm(command), command[1].summary]),
    26,
  ),
  variables: columns(environmentVariables, 24),
  providers: providerColumns(),
  "mode-names": permissionModes.join(", "),
};

/** A topic with its tables and lists filled in. */
function withTables(text: string): string {
  return text.replace(/^\{(\w+)\}\n|\{([\w-]+)\}/gm, (found, table: string | undefined, list = "") => {
    return topicTables[table ?? list] ?? found;
  });
}

function providerColumns(): string {
  const rows = [
    ["provider", "key", "base URL"],
    ...providerNames.map((name) => [name, providerTable[name].keyVariable, providerTable[name].baseUrlVariable]),
    ["ollama", "(none)", "OLLAMA_HOST"],
  ];
  const widths = [0, 1].map((column) => 2 + Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("")}\n`).join("");
}

/**
 * The topics of `ikigai help`, in the order in which it lists them. The first line is a summary; indented lines are printed
 * unchanged, in the manual too.
 */
export const topics: Readonly<Record<string, string>> = {
  tools,
  skills,
  protocol,
  permissions: withTables(permissions),
  web,
  mcp,
  hooks,
  agents,
  trust,
  sandbox,
  launchers,
  models: withTables(models),
  keys: withTables(keys),
  commands: withTables(commandsOfConversation),
  instructions,
  sessions,
  replay,
  print,
  editors,
  config: withTables(config),
  environment: withTables(environment),
  files,
  "exit-codes": exitCodes,
};

export function summaryOf(text: string): string {
  return text.slice(0, text.indexOf("\n"));
}
