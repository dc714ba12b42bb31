/** A word that is a command of other agents and none of ikigai's. */
interface OtherWord {
  /** What to do instead, in whole sentences. */
  readonly answer: string;
  /** Second words that also mark it as a command: `mcp add`. */
  readonly next?: readonly string[];
}

const manage = ["add", "create", "disable", "enable", "get", "install", "list", "new", "remove", "uninstall", "update"];

const subagents: OtherWord = {
  answer: 'Subagents are not supported. A script or a tool can run a task of its own with: ikigai -p "TASK"',
  next: manage,
};

const skills: OtherWord = {
  answer:
    "Skills are not supported. AGENTS.md holds instructions for every task (ikigai help instructions), a custom command those for one (ikigai help commands).",
  next: manage,
};

const plugins: OtherWord = {
  answer: "Plugins are not supported, tools are. Add one from npm, git, a folder or a file: ikigai tool add SOURCE",
  next: manage,
};

const update: OtherWord = {
  answer:
    "ikigai does not update itself. Run: npm install -g @ikigai/cli@latest. To update the tools that you have added: ikigai tool update",
};

const login: OtherWord = {
  answer: "An API key gives access to a provider: ikigai help models",
  next: ["login", "list", "logout"],
};

const print: OtherWord = { answer: 'To run one task and print the answer: ikigai -p "PROMPT"' };

const resume: OtherWord = {
  answer: "To choose a session: ikigai --resume. To continue the last one: ikigai --continue",
};

const server: OtherWord = {
  answer: 'ikigai has no server. A program can run it and read JSON: ikigai -p "PROMPT" --output-format stream-json',
};

const inConversation = (command: string): OtherWord => ({
  answer: `This is a command of a conversation: start ikigai and type /${command}`,
});

/**
 * The words that people who know Claude Code, Codex, Gemini CLI, opencode or pi type first, and what ikigai answers. A word
 * alone is a command; in a sentence it is part of a message to the model.
 */
export const otherWords: Readonly<Record<string, OtherWord>> = {
  mcp: {
    answer:
      "MCP servers are not supported yet. Wrap what you need as a tool, which can be a short script: ikigai tool new NAME --lang bash. More: ikigai help tools",
    next: [...manage, "auth", "login", "logout", "serve", "debug"],
  },
  agent: subagents,
  agents: subagents,
  skill: skills,
  skills,
  hook: { answer: "Hooks are not supported. Rules decide which calls may run: ikigai help permissions" },
  hooks: { answer: "Hooks are not supported. Rules decide which calls may run: ikigai help permissions", next: manage },
  plugin: plugins,
  plugins,
  extension: plugins,
  extensions: plugins,
  update,
  upgrade: update,
  install: { answer: "To add tools: ikigai tool add SOURCE. To update ikigai: npm install -g @ikigai/cli@latest" },
  uninstall: {
    answer:
      "To remove ikigai: npm uninstall -g @ikigai/cli. Your tools, sessions and configuration stay in ~/.ikigai until you delete it.",
  },
  auth: login,
  exec: print,
  run: print,
  resume,
  continue: resume,
  session: resume,
  sessions: resume,
  serve: server,
  server,
  acp: server,
  web: server,
  sandbox: { answer: "To run tools in the sandbox: ikigai --sandbox. More: ikigai help sandbox" },
  permissions: {
    answer: "To see and change the rules, start ikigai and type /permissions. More: ikigai help permissions",
  },
  stats: inConversation("status"),
  usage: inConversation("status"),
  cost: inConversation("status"),
  status: inConversation("status"),
  compact: inConversation("compact"),
  export: inConversation("export"),
};

/** What to do instead of a command that ikigai lacks; undefined for all other command lines. */
export function answerToOtherWord([word = "", next]: readonly string[]): string | undefined {
  const known = Object.hasOwn(otherWords, word) ? otherWords[word] : undefined;
  const isCommand = next === undefined || next === "--help" || known?.next?.includes(next) === true;
  return isCommand ? known?.answer : undefined;
}
