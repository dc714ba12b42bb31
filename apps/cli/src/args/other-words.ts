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
  permissions: [],
  plugin: manage,
  plugins: manage,
  resume: [],
  review: [],
  run: [],
  sandbox: [],
  serve: [],
  server: [],
  session: [],
  sessions: [],
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

/** Those that take a prompt. */
const promptWords: readonly OtherWord[] = ["ask", "chat", "e", "exec", "run"];

/** Those of them that no sentence of two words begins with: `run tests` is a message. */
const oddWords: readonly OtherWord[] = ["e", "exec"];

/** Options that make the words before them a prompt: `git diff | ikigai review -p`. */
const printOptions: readonly string[] = ["-p", "--print", "--"];

/**
 * The command of another agent that a command line is: the word alone, before an option, or before another word that marks it. In a
 * sentence the word is part of a message to the model; after a command the sentence is one quoted word.
 */
export function findOtherWord([word = "", next, ...rest]: readonly string[]): OtherWord | undefined {
  if (!isOtherWord(word)) return undefined;
  const isBeforeOption = next?.startsWith("-") === true && !printOptions.includes(next);
  const isCommand = next === undefined || isBeforeOption || otherWords[word]?.includes(next) === true;
  const prompt = next?.startsWith("-") ? rest.at(-1) : rest.length === 0 ? next : undefined;
  const isPrompted =
    promptWords.includes(word) && prompt !== undefined && (/\s/.test(prompt) || oddWords.includes(word));
  return isCommand || isPrompted ? word : undefined;
}

function isOtherWord(word: string): word is OtherWord {
  return Object.hasOwn(words, word);
}
