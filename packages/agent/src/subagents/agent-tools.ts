import type { FrontMatterFields, FrontMatterValue } from "@ikigai/system/front-matter";

/** What an agent can choose from. */
export interface Choices {
  /** The names of the tools in use. */
  readonly tools: readonly string[];
  /** `provider/model` of the conversation. */
  readonly model: string;
}

/** Claude Code's names of tools, by which files for it name them. */
const otherNames: Readonly<Record<string, string>> = {
  Bash: "bash",
  Read: "file_read",
  Write: "file_write",
  Edit: "file_edit",
  MultiEdit: "file_edit",
  Glob: "glob",
  Grep: "grep",
  WebFetch: "web_fetch",
  WebSearch: "web_search",
  Task: "agent",
  Agent: "agent",
  TodoWrite: "todo",
  AskUserQuestion: "ask_user",
  Skill: "load",
  ToolSearch: "load",
};

/** Claude Code's tools that ikigai has in no form: without them is what an agent is anyway. In lower case. */
const unknownHere = new Set(
  ["NotebookEdit", "NotebookRead", "LS", "BashOutput", "KillShell", "KillBash", "TaskOutput", "TaskStop"]
    .concat(["EnterPlanMode", "ExitPlanMode", "SlashCommand", "ListMcpResourcesTool", "ReadMcpResourceTool"])
    .map((name) => name.toLowerCase()),
);

/**
 * Returns the only tools that an agent may use; `undefined` if it may use all. A name that means nothing here, or a tool with a
 * pattern, which cannot be kept, gives it nothing.
 */
export function toolsOf({ tools: wanted, disallowedTools }: FrontMatterFields, { tools }: Choices) {
  const isAll = wanted === undefined || wanted === "*";
  if (isAll && disallowedTools === undefined) return undefined;
  const named = isAll ? tools : wordsIn(wanted).flatMap((word) => namedBy(word, tools));
  const without = wordsIn(disallowedTools).map(disallowed);
  return [...new Set(named)].filter((name) => !without.some((takes) => takes(name)));
}

/** The tools that a word of `tools` gives: several for a prefix with `*` or a server of MCP; the word itself if it means none. */
function namedBy(given: string, tools: readonly string[]): readonly string[] {
  const word = withUnderscores(given);
  const prefix = prefixOf(word);
  const found = prefix === undefined ? [] : tools.filter((name) => name.startsWith(prefix));
  return found.length > 0 ? found : [ownName(word)];
}

/** What the names of several tools begin with: `mcp__github__` for `mcp__github__*`, and for the server's name `mcp__github`. */
function prefixOf(word: string): string | undefined {
  if (/^\w+\*$/.test(word)) return word.slice(0, -1);
  return /^mcp__(?:(?!__)\w)+$/.test(word) ? `${word}__` : undefined;
}

/** Whether a field has names, or is missing. What else it has could be meant as a limit. */
export function isListOfNames(value: FrontMatterValue | undefined): boolean {
  if (value === undefined || typeof value === "string") return true;
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** A name, perhaps with a pattern, and nothing behind it: another name there would be lost. */
const oneName = /^[^\s()]+(?:\((?:(?!\)\s).)*\))?$/s;

/**
 * Returns the words of `disallowedTools` that take away none of the tools, though they are meant to. The names of tools that an agent
 * never has here do not count.
 */
export function withoutEffect({ disallowedTools }: FrontMatterFields, { tools }: Choices): string[] {
  return wordsIn(disallowedTools).filter((word) => {
    if (!oneName.test(word)) return true;
    const plain = plainOf(word);
    return !tools.some(disallowed(word)) && !unknownHere.has(plain) && otherNameOf(plain) === undefined;
  });
}

/** Returns a field that is not read, but differs from one of a limit only in its spelling, with that one. */
export function misspelt(fields: FrontMatterFields): { readonly field: string; readonly meant: string } | undefined {
  for (const field of Object.keys(fields)) {
    const meant = ["tools", "disallowedTools"].find(
      (name) => name.toLowerCase() === field.toLowerCase().replace(/[-_]/g, ""),
    );
    if (meant !== undefined && meant !== field) return { field, meant };
  }
  return undefined;
}

/**
 * Whether a word takes away a tool: in any case, and with a pattern all of the tool, as a part cannot be taken away. A prefix with `*` or a
 * server of MCP takes away all tools that begin so.
 */
function disallowed(word: string): (name: string) => boolean {
  const plain = plainOf(word);
  const other = otherNameOf(plain);
  const prefix = prefixOf(plain);
  return (name) => {
    const lower = name.toLowerCase();
    return plain === "*" || lower === plain || name === other || (prefix !== undefined && lower.startsWith(prefix));
  };
}

function plainOf(word: string): string {
  return withUnderscores(word.replace(/\(.*/s, "").trim().toLowerCase());
}

function otherNameOf(plain: string): string | undefined {
  return Object.entries(otherNames).find(([name]) => name.toLowerCase() === plain)?.[1];
}

/** The name of a server's tool as ikigai has it: Claude Code keeps the `-` of a server. */
function withUnderscores(word: string): string {
  return word.startsWith("mcp__") ? word.replaceAll("-", "_") : word;
}

/** The words in `Read, Bash(git *)` or in a list. */
function wordsIn(value: FrontMatterValue | undefined): string[] {
  const words = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return words.flatMap((word: FrontMatterValue) => {
    const trimmed = typeof word === "string" ? word.trim() : "";
    return trimmed === "" ? [] : [trimmed];
  });
}

function ownName(name: string): string {
  return (Object.hasOwn(otherNames, name) && otherNames[name]) || name;
}
