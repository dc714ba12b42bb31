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
  const named = isAll ? tools : namesIn(wanted);
  const without = namesIn(disallowedTools);
  return named.filter((name) => !without.includes(name));
}

/** The names in `Read, Grep` or in a list. */
function namesIn(value: FrontMatterValue | undefined): string[] {
  const words = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return words.flatMap((word: FrontMatterValue) => {
    const name = typeof word === "string" ? word.trim() : "";
    return name === "" ? [] : [(Object.hasOwn(otherNames, name) && otherNames[name]) || name];
  });
}
