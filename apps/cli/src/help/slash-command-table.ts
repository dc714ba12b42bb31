// The slash commands: the one list that help, man page, READMEs, completion, line mode, the full screen and `-p` take them from.
// A new command is an entry here and a handler: in session/commands/slash-commands.ts, or in tui/commands/all-commands.ts if it has
// `needsScreen`. The compiler refuses an entry without one.

/** A slash command. */
export interface SlashCommandFacts {
  /** What other agents call it. */
  readonly aliases?: readonly string[];
  /** Its parameters, as the help shows them. */
  readonly parameters?: string;
  readonly summary: string;
  /** Only the full screen has it. */
  readonly needsScreen?: true;
  /** On the full screen it runs at once, also while the model works. */
  readonly isQuick?: true;
  /** What does the same in a shell. */
  readonly inShell?: string;
}

/** In the order of the help. */
const facts = {
  resume: {
    aliases: ["sessions"],
    parameters: "[NAME|ID|WORDS]",
    summary: "list the sessions and switch to one; WORDS that no title has are searched in all of them",
    needsScreen: true,
    inShell: "ikigai sessions list; ikigai --resume NAME",
  },
  name: {
    aliases: ["rename"],
    parameters: "[NAME]",
    summary: "show or change the name of this session",
    isQuick: true,
    inShell: "ikigai sessions list",
  },
  new: { aliases: ["reset"], summary: "start a new session; this one is kept" },
  compact: {
    aliases: ["compress", "summarize"],
    parameters: "[from here] [TEXT]",
    summary:
      "summarize the conversation to free context, TEXT says what to keep; from here, or up to here: only a part",
  },
  rewind: {
    aliases: ["undo", "restore", "checkpoint"],
    parameters: "[back]",
    summary:
      "go back to before one of your messages: the conversation, the files that calls changed, or both; back takes that back",
    needsScreen: true,
    inShell: "ikigai undo",
  },
  btw: {
    aliases: ["aside", "side"],
    parameters: "QUESTION",
    summary: "ask beside the work: answered from the conversation, without tools, and kept out of it",
    isQuick: true,
  },
  changes: {
    aliases: ["diff"],
    parameters: "[call|all]",
    summary: "show what the last turn changed, its last call, or the whole session",
    inShell: "ikigai undo --list",
  },
  goal: {
    parameters: "[COMMAND|off]",
    summary: "let turns go on until your shell command exits with 0; show it, or end that",
    isQuick: true,
    inShell: "ikigai --goal COMMAND",
  },
  model: {
    aliases: ["models"],
    parameters: "[PROVIDER/MODEL]",
    summary: "show the model, or switch to another",
    inShell: "ikigai --model PROVIDER/MODEL",
  },
  thinking: {
    aliases: ["effort"],
    parameters: "[LEVEL]",
    summary: "set how much the model thinks, if the provider supports it",
    needsScreen: true,
    isQuick: true,
  },
  permissions: {
    aliases: ["allow", "allowed-tools", "approvals", "policies"],
    parameters: "[MODE]",
    summary: "show or change what runs without asking: the mode and the rules",
    isQuick: true,
    inShell: "ikigai --permission-mode MODE",
  },
  "add-dir": {
    aliases: ["directory", "directories"],
    parameters: "[DIR]",
    summary: "count DIR as the project, too: its files, AGENTS.md and undo; without DIR, list them",
    isQuick: true,
  },
  cd: {
    aliases: ["cwd", "pwd"],
    parameters: "[DIR]",
    summary: "run calls in DIR, a directory of the project, from now on; without DIR, show where they run",
    isQuick: true,
  },
  network: {
    aliases: ["hosts"],
    summary: "show which hosts the calls of this session reached, and which were refused",
    isQuick: true,
  },
  status: {
    aliases: ["cost", "usage", "stats", "about", "session", "version"],
    summary: "show the model, the session, the tokens used and their cost",
    isQuick: true,
  },
  context: { summary: "show what fills the context window, in tokens", needsScreen: true, isQuick: true },
  export: { parameters: "[md|html] [PATH]", summary: "write the session to a new file", needsScreen: true },
  copy: {
    parameters: "[answer|N|command|output]",
    summary: "copy the last answer, its code block N or the last command, through the terminal (OSC 52)",
    needsScreen: true,
    isQuick: true,
  },
  fork: {
    aliases: ["branch", "clone"],
    summary: "start a new session from any of your messages",
    needsScreen: true,
    inShell: "ikigai --resume ID --fork",
  },
  memory: { aliases: ["instructions"], summary: "show the instruction files that the model gets", isQuick: true },
  init: { summary: "write AGENTS.md with the model; shows it and asks first", inShell: "ikigai init" },
  calls: {
    aliases: ["details"],
    summary: "show all calls in full",
    needsScreen: true,
    isQuick: true,
    inShell: "ikigai tool log",
  },
  jobs: {
    aliases: ["tasks", "bashes", "ps"],
    summary: "list services and jobs, commands that continue after their call; show their logs, end them",
    needsScreen: true,
    isQuick: true,
  },
  agents: {
    aliases: ["agent", "subagents"],
    parameters: "[end N]",
    summary: "list the session's agents and those you have defined; show logs, end or join them",
    isQuick: true,
  },
  todos: {
    aliases: ["todo"],
    parameters: "[clear]",
    summary: "list the tasks that the model keeps for this session, or remove them",
    isQuick: true,
  },
  tool: {
    aliases: ["tools"],
    parameters: "[NAME]",
    summary: "list the tools, or show one",
    isQuick: true,
    inShell: "ikigai tool list",
  },
  mcp: {
    aliases: ["servers"],
    summary: "list the MCP servers: which are ready, which are not, and why",
    isQuick: true,
    inShell: "ikigai mcp list",
  },
  load: {
    aliases: ["skill", "skills"],
    parameters: "[NAME] [TEXT]",
    summary: "list the skills, or load a skill or a tool for the model",
  },
  refresh: { aliases: ["reload"], summary: "reload the tools" },
  trust: { summary: "show the project's tools and commands, and ask whether to trust them", inShell: "ikigai trust" },
  clear: { summary: "start a new session on an empty screen", needsScreen: true },
  config: {
    aliases: ["settings"],
    parameters: "[edit]",
    summary: "show the configuration and its path, or edit it",
    needsScreen: true,
    inShell: "ikigai config get",
  },
  login: {
    aliases: ["auth"],
    parameters: "[PROVIDER]",
    summary: "store an API key or sign in to an account; its models can then be used at once",
    needsScreen: true,
    inShell: "ikigai login PROVIDER",
  },
  doctor: {
    summary: "check the setup and report problems",
    needsScreen: true,
    isQuick: true,
    inShell: "ikigai doctor",
  },
  help: {
    aliases: ["?", "commands"],
    parameters: "[TOPIC]",
    summary: "show this list, or explain a topic",
    isQuick: true,
    inShell: "ikigai help",
  },
  quit: { aliases: ["exit", "q"], summary: "quit", isQuick: true },
} as const satisfies Record<string, SlashCommandFacts>;

export type SlashCommandName = keyof typeof facts;

/** The commands that only the full screen has. */
export type ScreenCommandName = {
  [Name in SlashCommandName]: (typeof facts)[Name] extends { readonly needsScreen: true } ? Name : never;
}[SlashCommandName];

/** The commands that line mode has, too. */
export type SharedCommandName = Exclude<SlashCommandName, ScreenCommandName>;

/** Whether a name, without the slash, is a command's own: on no screen does it mean anything else. */
export function isSlashCommandName(name: string): name is SlashCommandName {
  return Object.hasOwn(facts, name);
}

export const slashCommandTable: Readonly<Record<string, SlashCommandFacts>> = facts;

export const slashCommandNames: readonly SlashCommandName[] = Object.keys(facts).filter(isSlashCommandName);

export function isShared(name: SlashCommandName): name is SharedCommandName {
  return !("needsScreen" in facts[name]);
}

/** A command's name, with what the help shows of it. */
export function slashCommand(name: SlashCommandName): SlashCommandFacts & { readonly name: string } {
  return { name, ...facts[name] };
}

/** A command as it is typed, with its parameters. */
export function slashCommandForm([name, { parameters }]: readonly [string, SlashCommandFacts]): string {
  return `/${name}${parameters === undefined ? "" : ` ${parameters}`}`;
}
