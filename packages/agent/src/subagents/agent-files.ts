// Agents that are Markdown files of the user or of a trusted project: finding them, reading one, and the tools that it names. A file
// with a limit that cannot be kept is not used. Loaded only if there are such files.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { trustStatus } from "@ikigai/core";
import { addedPackages } from "@ikigai/core/internal";
import { defaultModels, modelWords } from "@ikigai/models";
import { readProblem, readRegularFile, systemReason, visibleLine, writerProblem } from "@ikigai/system";
import { type FrontMatterFields, type FrontMatterValue, readFrontMatter } from "@ikigai/system/front-matter";
import type { NamedAgent } from "./grant.ts";

/** Longer files are ignored, in bytes. */
export const maxAgentFileBytes = 65_536;

/** How many agents are used: all of them are passed on to each agent. */
const maxAgents = 100;

/** How much of a description the model sees, in characters. */
const maxDescription = 300;

const namePattern = /^[A-Za-z0-9][\w-]{0,63}$/;

/** The agents with instructions of their own. */
export interface FoundAgents {
  readonly agents: readonly NamedAgent[];
  /** A sentence about each file that cannot be used. */
  readonly problems: readonly string[];
  /** A sentence about each file of which a part has no effect. */
  readonly remarks: readonly string[];
}

/** Where the files are, and what an agent can choose from. */
export interface AgentFilesOptions extends Choices {
  readonly home: string;
  readonly projectDir: string;
}

/**
 * Finds the agents in added packages, in the user's `agents/` and, if the project is trusted, those in its own as they were when it was
 * trusted. Of the same name, a project's agent takes precedence over the user's, and that over a package's. Sorted by name. Never rejects.
 */
export async function findAgents({ home, projectDir, ...choices }: AgentFilesOptions): Promise<FoundAgents> {
  const [problems, remarks]: [string[], string[]] = [[], []];
  const files = [...userFiles(home, problems), ...(await projectFiles(home, projectDir))];
  const agents = new Map<string, NamedAgent>();
  for (const file of files) {
    const read = await readAgent(file, choices);
    if (read === undefined) continue;
    if ("problem" in read) {
      problems.push(`The agent ${file.path} is not used: ${read.problem}.`);
      continue;
    }
    const same = agents.get(read.agent.name);
    // The question of trust names the user's agents that a project overrides, by the names of its files.
    const isUsers = same && files.some((one) => one.path === same.path && !isOfProject(one));
    if (isUsers && isOfProject(file) && file.name !== read.agent.name) {
      problems.push(
        `The agent ${file.path} is not used: it is called ${read.agent.name}, as your agent ${same.path} is. To override yours, its file must be called ${read.agent.name}.md.`,
      );
      continue;
    }
    // A project's takes precedence; of two in one directory, neither is meant more than the other.
    if (same && dirname(same.path) === dirname(file.path)) {
      problems.push(`The agent ${file.path} is not used: ${same.path} has the same name.`);
      continue;
    }
    agents.set(read.agent.name, read.agent);
    if (read.without.length > 0)
      remarks.push(`The agent ${file.path} lists names that add no tool: ${read.without.join(", ")}`);
  }
  const sorted = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (sorted.length > maxAgents)
    problems.push(`There are ${sorted.length} agents; only the first ${maxAgents} are used.`);
  return { agents: sorted.slice(0, maxAgents), problems, remarks };
}

interface AgentFile {
  /** What the agent is called if the file does not say. */
  readonly name: string;
  readonly path: string;
  /** The content that the user has trusted; any, for the user's own files. */
  readonly sha256?: string;
}

function isOfProject({ sha256 }: AgentFile): boolean {
  return sha256 !== undefined;
}

/** The user's own files, after those of added packages. */
function userFiles(home: string, problems: string[]): AgentFile[] {
  const brought = addedPackages(home).flatMap(({ folder, problem }) => {
    const files = filesIn(join(folder, "agents"), home, problems);
    if (problem === undefined) return files;
    problems.push(...files.map(({ path }) => `The agent ${path} is not used: ${problem}.`));
    return [];
  });
  return [...brought, ...filesIn(join(home, "agents"), home, problems)];
}

function filesIn(directory: string, home: string, problems: string[]): AgentFile[] {
  try {
    return readdirSync(directory)
      .sort()
      .flatMap((file) => {
        const name = nameOf(file);
        return name === undefined ? [] : [{ name, path: join(directory, file) }];
      });
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    if (reason.code !== "ENOENT") problems.push(`${directory} ${readProblem(reason, directory, home)}`);
    return [];
  }
}

/** The name of an agent whose file is called so; `undefined` if it is no agent's. */
function nameOf(file: string): string | undefined {
  const name = file.endsWith(".md") ? file.slice(0, -".md".length) : "";
  return namePattern.test(name) ? name : undefined;
}

async function projectFiles(home: string, projectDir: string): Promise<AgentFile[]> {
  // Most projects have none: hashing the other files is not worth it.
  if (!existsSync(join(projectDir, ".ikigai/agents"))) return [];
  const { status, dir, files } = await trustStatus({ home, projectDir });
  if (status !== "trusted") return [];
  return files.flatMap(({ path, sha256 }) => {
    const name = path.startsWith("agents/") ? nameOf(path.slice("agents/".length)) : undefined;
    return name === undefined ? [] : [{ name, path: join(dir, path), sha256 }];
  });
}

/** An agent that can be used, and the tools that its file names and that do not exist. */
interface ReadAgent {
  readonly agent: NamedAgent;
  readonly without: readonly string[];
}

async function readAgent(
  { name: fileName, path, sha256: trusted }: AgentFile,
  choices: Choices,
): Promise<ReadAgent | { readonly problem: string } | undefined> {
  const bytes = contentOf(path);
  if (bytes === undefined || "problem" in bytes) return bytes;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  // Changed a moment ago: the user is asked again.
  if (trusted !== undefined && trusted !== sha256) return undefined;
  const writer = trusted === undefined ? writerOf(path) : undefined;
  if (writer !== undefined) return { problem: writer };
  const read = await readFrontMatter(bytes.toString("utf8"));
  if ("problem" in read) return { problem: `it ${read.problem}` };
  const { name = fileName, description: described, model } = read.fields;
  const problem = limitProblem(read.fields, choices);
  if (problem !== undefined) return { problem };
  if (typeof name !== "string" || !namePattern.test(name))
    return { problem: "it has an invalid name: use 1 to 64 letters, digits, - and _" };
  const description = typeof described === "string" ? visibleLine(described) : "";
  if (description === "") return { problem: "it has no description: say what the agent does and when to use it" };
  if (read.body.trim() === "") return { problem: "it has no instructions: write them below the front matter" };
  const tools = toolsOf(read.fields, choices);
  const wanted = modelOf(model, choices.model);
  const agent = {
    name,
    description: [...description].slice(0, maxDescription).join(""),
    ...(wanted !== undefined && { model: wanted }),
    ...(tools && { tools }),
    ...{ path, sha256 },
  };
  const without = tools?.filter((tool) => !choices.tools.includes(tool)) ?? [];
  return { agent, without: without.map(visibleLine) };
}

/** Says why a limit of a file cannot be kept: its agent would have tools that it was not meant to have. */
function limitProblem(fields: FrontMatterFields, choices: Choices): string | undefined {
  const odd = misspelt(fields);
  if (odd) return `its ${visibleLine(odd.field)} is not read: write ${odd.meant}`;
  if (!isListOfNames(fields.disallowedTools)) return "its disallowedTools is no list of names";
  // Where the tools are not known, no agent is started.
  const unused = choices.tools.length === 0 ? [] : withoutEffect(fields, choices);
  if (unused.length === 0) return undefined;
  return `its disallowedTools has names that mean no tool here: ${visibleLine(unused.join(", "))}. Correct or remove them`;
}

function contentOf(path: string): Buffer | { readonly problem: string } | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { problem: "it is not a regular file" };
    if (stats.size > maxAgentFileBytes) return { problem: `it is longer than ${maxAgentFileBytes} bytes` };
    return readRegularFile(path, maxAgentFileBytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return {
      problem: `it cannot be read: ${code === undefined ? message : systemReason(error as NodeJS.ErrnoException)}`,
    };
  }
}

/** Says who else could have written a user's file: agents follow it. */
function writerOf(path: string): string | undefined {
  const problem = writerProblem([path, dirname(path)]);
  return problem?.startsWith(`${path} `) ? `it${problem.slice(path.length)}` : problem;
}

/** Claude Code's names of model families. */
const familyPattern = /^(?:sonnet|opus|haiku)$/;

/**
 * Returns the model that the file of an agent names, as `provider/model`; `undefined` for that of the conversation. A file for
 * Claude Code names a family, which counts only in a conversation with Anthropic, and only if ikigai knows its model.
 *
 * @param own `provider/model` of the conversation.
 */
export function modelOf(value: FrontMatterValue | undefined, own: string): string | undefined {
  const name = typeof value === "string" ? value.trim() : "";
  if (name === "" || name === "inherit") return undefined;
  if (name.includes("/") || modelWords.some((word) => word === name)) return name;
  if (/^claude-/.test(name)) return `anthropic/${name}`;
  const { anthropic = "" } = defaultModels;
  const isKnown = familyPattern.test(name) && own.startsWith("anthropic/") && anthropic.includes(`-${name}-`);
  return isKnown ? `anthropic/${anthropic}` : undefined;
}

/* Which tools an agent has: those that its file names, in the words of ikigai or Claude Code, without those that it disallows. */

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
