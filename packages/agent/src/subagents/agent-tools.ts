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

/**
 * Returns the only tools that an agent may use; `undefined` if it may use all. A name that means nothing here, or a tool with a
 * pattern, which cannot be kept, gives it nothing.
 */
export function toolsOf({ tools: wanted, disallowedTools }: FrontMatterFields, { tools }: Choices) {
  const isAll = wanted === undefined || wanted === "*";
  if (isAll && disallowedTools === undefined) return undefined;
  const named = isAll ? tools : wordsIn(wanted).map(ownName);
  const without = wordsIn(disallowedTools).map(disallowed);
  return named.filter((name) => !without.some((takes) => takes(name)));
}

/** Whether a field has names, or is missing. What else it has could be meant as a limit. */
export function isListOfNames(value: FrontMatterValue | undefined): boolean {
  if (value === undefined || typeof value === "string") return true;
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** Returns the words of `disallowedTools` that take away none of the tools. */
export function withoutEffect({ disallowedTools }: FrontMatterFields, { tools }: Choices): string[] {
  return wordsIn(disallowedTools).filter((word) => !tools.some(disallowed(word)));
}

/** Whether a word takes away a tool: in any case, and with a pattern all of the tool, as a part cannot be taken away. */
function disallowed(word: string): (name: string) => boolean {
  const plain = word.replace(/\(.*/s, "").trim().toLowerCase();
  const other = Object.entries(otherNames).find(([name]) => name.toLowerCase() === plain)?.[1];
  return (name) => plain === "*" || name.toLowerCase() === plain || name === other;
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
