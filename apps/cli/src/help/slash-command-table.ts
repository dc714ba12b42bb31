/** What the help shows of a slash command. */
export interface SlashCommandFacts {
  /** What other agents call it. */
  readonly aliases?: readonly string[];
  /** Its parameters, as the help shows them. */
  readonly parameters?: string;
  readonly summary: string;
}

/** The commands of a conversation, in the order of the help. */
const facts = {
  resume: {
    aliases: ["sessions"],
    parameters: "[NAME|ID|WORDS]",
    summary: "list the sessions and switch to one; WORDS that no title has are searched in all of them",
  },
  name: { aliases: ["rename"], parameters: "[NAME]", summary: "show or change the name of this session" },
  new: { aliases: ["reset"], summary: "start a new session; this one is kept" },
  compact: {
    aliases: ["compress", "summarize"],
    parameters: "[WHAT TO KEEP]",
    summary: "summarize the conversation to free context",
  },
  rewind: {
    aliases: ["undo", "restore", "checkpoint"],
    parameters: "[back]",
    summary:
      "go back to before one of your messages: the conversation, the files that calls changed, or both; back takes that back",
  },
  changes: {
    aliases: ["diff"],
    parameters: "[call|all]",
    summary: "show what the last turn changed, its last call, or the whole session",
  },
  goal: {
    parameters: "[COMMAND|off]",
    summary: "let turns go on until your shell command exits with 0; show it, or end that",
  },
  model: { aliases: ["models"], parameters: "[PROVIDER/MODEL]", summary: "show the model, or switch to another" },
  thinking: {
    aliases: ["effort"],
    parameters: "[LEVEL]",
    summary: "set how much the model thinks, if the provider supports it",
  },
  permissions: {
    aliases: ["allow", "allowed-tools", "approvals", "policies"],
    parameters: "[MODE]",
    summary: "show or change what runs without asking: the mode and the rules",
  },
  "add-dir": {
    aliases: ["directory", "directories"],
    parameters: "[DIR]",
    summary: "count DIR as the project, too: its files, AGENTS.md and undo; without DIR, list them",
  },
  network: {
    aliases: ["hosts"],
    summary: "show which hosts the calls of this session reached, and which were refused",
  },
  status: {
    aliases: ["cost", "usage", "stats", "about", "session", "version"],
    summary: "show the model, the session, the tokens used and their cost",
  },
  context: { summary: "show what fills the context window, in tokens" },
  export: { parameters: "[md|html] [PATH]", summary: "write the session to a new file" },
  copy: {
    parameters: "[answer|N|command|output]",
    summary: "copy the last answer, its code block N or the last command, through the terminal (OSC 52)",
  },
  fork: { aliases: ["branch", "clone"], summary: "start a new session from any of your messages" },
  memory: { aliases: ["instructions"], summary: "show the instruction files that the model gets" },
  init: { summary: "write AGENTS.md with the model; shows it and asks first" },
  calls: { aliases: ["details"], summary: "show all calls in full" },
  jobs: {
    aliases: ["tasks", "bashes", "ps"],
    summary: "list services and jobs, commands that continue after their call; show their logs, end them",
  },
  agents: {
    aliases: ["agent", "subagents"],
    parameters: "[end N]",
    summary: "list the session's agents and those you have defined; show logs, end or join them",
  },
  todos: { aliases: ["todo"], summary: "list the tasks that the model keeps for this session" },
  tool: { aliases: ["tools"], parameters: "[NAME]", summary: "list the tools, or show one" },
  load: {
    aliases: ["skill", "skills"],
    parameters: "[NAME] [TEXT]",
    summary: "list the skills, or load a skill or a tool for the model",
  },
  refresh: { aliases: ["reload"], summary: "reload the tools" },
  trust: { summary: "show the project's tools and commands, and ask whether to trust them" },
  clear: { summary: "start a new session on an empty screen" },
  config: { aliases: ["settings"], parameters: "[edit]", summary: "show the configuration and its path, or edit it" },
  doctor: { summary: "check the setup and report problems" },
  help: {
    aliases: ["?", "commands"],
    parameters: "[TOPIC]",
    summary: "show this list, or explain a topic",
  },
  quit: { aliases: ["exit", "q"], summary: "quit" },
} as const satisfies Record<string, SlashCommandFacts>;

export type SlashCommandName = keyof typeof facts;

/** Whether a name, without the slash, is a command's own: on no screen does it mean anything else. */
export function isSlashCommandName(name: string): name is SlashCommandName {
  return Object.hasOwn(facts, name);
}

export const slashCommandTable: Readonly<Record<string, SlashCommandFacts>> = facts;

/** A command's name, with what the help shows of it. */
export function slashCommand(name: SlashCommandName): SlashCommandFacts & { readonly name: string } {
  return { name, ...facts[name] };
}

/** A command as it is typed, with its parameters. */
export function slashCommandForm([name, { parameters }]: readonly [string, SlashCommandFacts]): string {
  return `/${name}${parameters === undefined ? "" : ` ${parameters}`}`;
}
