/** How a slash command is shown. */
export interface SlashCommandFacts {
  /** What other agents call it. */
  readonly aliases?: readonly string[];
  /** What may follow the name. */
  readonly parameters?: string;
  readonly summary: string;
}

/** The commands of a conversation, in the order of the help. */
const facts = {
  tool: { aliases: ["tools"], parameters: "[NAME]", summary: "list the tools, or show one" },
  refresh: { aliases: ["reload"], summary: "look for tools again" },
  trust: { summary: "show what the project brings, and ask whether it may be used" },
  model: { aliases: ["models"], parameters: "[PROVIDER/MODEL]", summary: "show the model, or switch to another" },
  thinking: {
    aliases: ["effort"],
    parameters: "[LEVEL]",
    summary: "how much the model thinks, where the provider has a setting for it",
  },
  permissions: {
    aliases: ["allow", "allowed-tools", "approvals", "policies"],
    parameters: "[MODE]",
    summary: "what may run without a question: the mode and the rules",
  },
  status: {
    aliases: ["cost", "usage", "stats", "about", "session", "version"],
    summary: "show the model, the session, the tokens used and what they cost",
  },
  memory: { aliases: ["instructions"], summary: "show the files of instructions that the model gets" },
  resume: { aliases: ["sessions"], parameters: "[ID]", summary: "switch to another session" },
  new: { aliases: ["reset"], summary: "start a new session; this one is kept" },
  fork: { aliases: ["branch", "clone"], summary: "start a new session from any of your messages" },
  rewind: {
    aliases: ["undo", "restore", "checkpoint"],
    summary:
      "go back to before one of your messages: the conversation, the files that ikigai's file tools changed, or both",
  },
  export: { parameters: "[md|html] [PATH]", summary: "write the session to a new file" },
  context: { summary: "show what fills the model's window, in tokens" },
  compact: {
    aliases: ["compress", "summarize"],
    parameters: "[WHAT TO KEEP]",
    summary: "have the model summarize the conversation, to make room",
  },
  calls: { aliases: ["details"], summary: "show all calls in full" },
  jobs: { aliases: ["tasks", "bashes", "ps"], summary: "what bash has started in the background: its log, its end" },
  copy: { summary: "copy the last answer to the clipboard, through the terminal (OSC 52)" },
  clear: { summary: "start a new session on an empty screen" },
  config: { aliases: ["settings"], parameters: "[edit]", summary: "show the configuration and where it is" },
  doctor: { summary: "show what is set up, and what is wrong" },
  help: {
    aliases: ["?", "commands"],
    parameters: "[TOPIC]",
    summary: "this list, or what `ikigai help TOPIC` explains",
  },
  quit: { aliases: ["exit", "q"], summary: "quit" },
} as const satisfies Record<string, SlashCommandFacts>;

export const slashCommandTable: Readonly<Record<string, SlashCommandFacts>> = facts;

/** A command's name and how it is shown. */
export function slashCommand(name: keyof typeof facts): SlashCommandFacts & { readonly name: string } {
  return { name, ...facts[name] };
}

/** What is typed: the name, and what may follow it. */
export function slashCommandForm([name, { parameters }]: readonly [string, SlashCommandFacts]): string {
  return `/${name}${parameters === undefined ? "" : ` ${parameters}`}`;
}
