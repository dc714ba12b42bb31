const manage = [
  "add",
  "create",
  "disable",
  "enable",
  "get",
  "install",
  "list",
  "new",
  "remove",
  "uninstall",
  "update",
] as const;

/**
 * The commands of Claude Code, Codex, Gemini CLI, opencode and pi that ikigai lacks, and the second words that also mark them
 * as commands: `plugin add`. `otherWordAnswers` says what to do instead.
 */
const words = {
  agent: manage,
  agents: manage,
  "app-server": [],
  apply: [],
  attach: [],
  auth: ["list", "login", "logout"],
  ask: [],
  chat: [],
  cloud: ["apply", "diff", "exec", "list", "status"],
  compact: [],
  continue: [],
  cost: [],
  e: [],
  exec: [],
  export: [],
  extension: manage,
  extensions: manage,
  fork: [],
  hooks: manage,
  install: [],
  "mcp-server": [],
  permissions: [],
  plugin: manage,
  plugins: manage,
  resume: [],
  review: [],
  run: [],
  sandbox: [],
  "self-update": [],
  serve: [],
  server: [],
  session: ["list"],
  sessions: ["list"],
  "setup-token": [],
  skill: manage,
  skills: manage,
  stats: [],
  status: [],
  update: ["tool", "tools"],
  usage: [],
  web: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type OtherWord = keyof typeof words;

/** All of them. */
export const otherWords: Readonly<Record<string, readonly string[]>> = words;

/** Those whose second word must be the last one: `session list is empty` is a message. */
const shortWords: readonly OtherWord[] = ["session", "sessions"];

/** Whether a word is the version that a program is updated to. */
export function isVersion(word = ""): boolean {
  return /^v?\d+(\.\d+)+(-[\w.-]+)?$/.test(word);
}

/** Those that take a prompt. */
const promptWords: readonly OtherWord[] = ["ask", "chat", "e", "exec", "run"];

/** Those of them that no sentence of two words begins with: `run tests` is a message. */
const oddWords: readonly OtherWord[] = ["e", "exec"];

/**
 * The command of another agent that a command line is: the word alone, before an option, or before another word that marks it. In a
 * sentence the word is part of a message to the model; after a command the sentence is one quoted word.
 */
export function findOtherWord([word = "", next = "", ...rest]: readonly string[]): OtherWord | undefined {
  if (!isOtherWord(word)) return undefined;
  const takesPrompt = promptWords.includes(word);
  // What is before -p is a prompt: `git diff | ikigai review -p`.
  const isBeforeOption = next.startsWith("-") && next !== "--" && (takesPrompt || !/^--?p(rint)?$/.test(next));
  const isLast = /^(-.*)?$/.test(rest[0] ?? "");
  const isMarked = otherWords[word]?.includes(next) === true && (isLast || !shortWords.includes(word));
  const isUpdate = word === "update" && isVersion(next) && isLast;
  const isCommand = next === "" || isBeforeOption || isMarked || isUpdate;
  const isPrompted = takesPrompt && rest.length === 0 && (/\s/.test(next) || oddWords.includes(word));
  return isCommand || isPrompted ? word : undefined;
}

function isOtherWord(word: string): word is OtherWord {
  return Object.hasOwn(words, word);
}
