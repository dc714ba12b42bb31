import {
  defaultModels,
  listSessions,
  type Places,
  providerNames,
  providerTable,
  readConfig,
  readRecording,
} from "@ikigai/agent/internal";
import { settingKeys } from "@ikigai/agent/setup";
import { knownTools } from "@ikigai/core/internal";
import { readRecord, serverOf, toolNameOf, toolRoot, userRoots } from "@ikigai/tool-packages";
import { commandGroups, isCommandGroup } from "../../args/command-groups.ts";
import { type CommandName, commands, findCommand, firstWords } from "../../args/commands.ts";
import { mainOptions } from "../../args/main-options.ts";
import type { CommandSyntax, Completion, Operand, Option, Options } from "../../args/option.ts";
import { commandRows } from "../../help/explain-command.ts";
import { summaryOf, topics } from "../../help/topics.ts";
import { rememberedModels } from "../../host/remembered-models.ts";
import { age } from "../../render/times-and-sizes.ts";

interface Question {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** The words between the command and the cursor. */
  readonly words: readonly string[];
}

/** Limit of sessions to offer, the most recent first. */
const maxSessions = 30;

/** The candidates by kind. None of these functions runs a tool or uses the network. */
export const valuesOf: Readonly<Record<Completion, (question: Question) => Promise<Offer> | Offer>> = {
  file: () => ({ candidates: [], paths: "file" }),
  "tool-file": async ({ places }) => ({ candidates: await tools(places), paths: "file" }),
  directory: () => ({ candidates: [], paths: "directory" }),
  tool: async ({ places }) => ({ candidates: await tools(places) }),
  rule: async ({ places }) => ({ candidates: await tools(places) }),
  installed: ({ places, words }) => ({ candidates: installed(places, words.includes("--project")) }),
  "mcp-server": ({ places }) => ({ candidates: servers(places) }),
  "mcp-tool": ({ places, words }) => ({ candidates: serverTools(places, words) }),
  session: ({ places }) => ({ candidates: sessions(places) }),
  call: ({ places, words }) => ({ candidates: calls(places, words) }),
  provider: () => ({ candidates: providers() }),
  "model-provider": () => ({ candidates: [...providers(), ...ownProviders] }),
  setting: () => ({ candidates: settingKeys().map((value) => ({ value })) }),
  model: ({ places }) => ({ candidates: models(places) }),
  check: async () => ({ candidates: await checks() }),
  topic: ({ words }) => ({ candidates: helpTopics(words) }),
};

function providers(): Candidate[] {
  return providerNames.map((value) => ({ value, description: providerTable[value].title }));
}

/** What has models and no key. */
const ownProviders: readonly Candidate[] = [
  { value: "ollama", description: "models on this machine" },
  { value: "offline", description: "built in, for tests" },
];

async function checks(): Promise<Candidate[]> {
  const { conformance } = await import("@ikigai/testing");
  return conformance.map(({ id, title }) => ({ value: id, description: title }));
}

async function tools(places: Places): Promise<Candidate[]> {
  const known = await knownTools(places);
  return known.map(({ name, scope, description = scope }) => ({ value: name, description }));
}

function installed(places: Places, isProject: boolean): Candidate[] {
  const record = readRecord(toolRoot(places, { isProject }));
  return [...record].map(([value, { version, tools: files }]) => {
    const names = Object.keys(files).map(toolNameOf).join(", ");
    return { value, description: `${version} ${names}` };
  });
}

function servers(places: Places): Candidate[] {
  return serverRecords(places).map(({ server, files }) => ({ value: server, description: `${files.length} tools` }));
}

/** The tools of the server that was named; before its name is typed, those of all servers. */
function serverTools(places: Places, words: readonly string[]): Candidate[] {
  const records = serverRecords(places);
  const isNamed = ({ server }: { server: string }) => words.includes(server);
  const shown = records.some(isNamed) ? records.filter(isNamed) : records;
  return shown.flatMap(({ files }) => files.map((file) => ({ value: toolNameOf(file) })));
}

/** The MCP servers that were added for this directory and for all, with the files of their tools. */
function serverRecords(places: Places) {
  return userRoots(places).flatMap((root) =>
    [...readRecord(root).values()].flatMap((record) => {
      const server = serverOf(record);
      return server === undefined ? [] : [{ server, files: Object.keys(record.tools) }];
    }),
  );
}

function sessions({ home, projectDir }: Places): Candidate[] {
  return listSessions(home, projectDir)
    .slice(0, maxSessions)
    .map(({ id, title, changedAt }) => ({ value: id, description: `${age(changedAt)}: ${title}` }));
}

function calls({ home, projectDir }: Places, words: readonly string[]): Candidate[] {
  const at = words.indexOf("--session");
  const id = at < 0 ? undefined : words[at + 1];
  const recording = readRecording({ home, cwd: projectDir, id });
  return recording.calls.map(({ name, arguments: args }, index) => {
    return { value: String(index + 1), description: `${name} ${args}` };
  });
}

function models({ home }: Places): Candidate[] {
  const { model } = readConfig(home).config;
  const defaults = Object.entries(defaultModels).map(([provider, name]) => `${provider}/${name}`);
  const named = [...(model === undefined ? [] : [model]), ...rememberedModels(home), ...defaults, "offline"];
  const providers = providerNames.map((provider) => `${provider}/`);
  return [...new Set([...named, ...providers])].map((value) => ({ value }));
}

/** Topics, and the words of commands. */
function helpTopics(words: readonly string[]): Candidate[] {
  const found = nextWords(words.map((word) => `${word} `).join(""));
  if (words.length > 0) return found;
  const named = Object.entries(topics).map(([value, text]) => ({ value, description: summaryOf(text) }));
  const isNew = ({ value }: Candidate, index: number, all: readonly Candidate[]) =>
    all.findIndex((other) => other.value === value) === index;
  return [...named, ...found].filter(isNew);
}

/** What the word at the cursor can be. */
export type Position =
  /** The rest of a command's name. */
  | { readonly kind: "command"; readonly prefix: string }
  | { readonly kind: "option"; readonly options: Options; readonly given: ReadonlySet<string> }
  /** An option's value. `glued` is the part before it in the same word: `--model=`. */
  | { readonly kind: "value"; readonly option: Option; readonly glued: string; readonly words: readonly string[] }
  | { readonly kind: "operand"; readonly operand: Operand; readonly words: readonly string[] }
  | { readonly kind: "nothing" };

const help = { help: { short: "h", summary: "show help" } } as const satisfies Options;

/** Finds what the last word can be from the words before it. */
export function findPosition(words: readonly string[]): Position {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  if (before.length === 0 && !current.startsWith("-")) return { kind: "command", prefix: "" };
  const found = findCommand(before);
  if (found) return insideCommand(found.name, found.args, current);
  const [first = ""] = before;
  if (!firstWords.includes(first)) return inside(mainOptions, [], before, current);
  return before.length === 1 ? { kind: "command", prefix: `${first} ` } : { kind: "nothing" };
}

function insideCommand(name: CommandName, before: readonly string[], current: string): Position {
  const { options, operands }: CommandSyntax = commands[name];
  return inside({ ...options, ...help }, operands, before, current);
}

function inside(options: Options, operands: readonly Operand[], before: readonly string[], current: string): Position {
  const seen = readBefore(options, before);
  if (seen.pending && !(seen.pending.valueOptional && current.startsWith("-")))
    return { kind: "value", option: seen.pending, glued: "", words: before };
  const [, name = ""] = /^--([\w-]+)=/.exec(current) ?? [];
  const option = options[name];
  if (option) return { kind: "value", option, glued: `--${name}=`, words: before };
  if (current.startsWith("-")) return { kind: "option", options, given: seen.given };
  const last = operands.at(-1);
  const operand = operands[seen.operands] ?? (last?.isRepeated ? last : undefined);
  if (operand) return { kind: "operand", operand, words: before };
  return current === "" ? { kind: "option", options, given: seen.given } : { kind: "nothing" };
}

/** Reads the words before the cursor: the options, the number of operands, and the option whose value comes next. */
function readBefore(options: Options, words: readonly string[]) {
  const given = new Set<string>();
  let operands = 0;
  let pending: Option | undefined;
  for (const word of words) {
    const isValue: boolean = pending !== undefined && !(pending.valueOptional && word.startsWith("-"));
    pending = undefined;
    if (isValue) continue;
    if (!word.startsWith("-")) operands++;
    const [written = "", ...value] = word.split("=");
    for (const name of namesIn(written, options)) {
      const option = options[name];
      if (option && !option.repeated) given.add(name);
      pending = option?.value !== undefined && value.length === 0 ? option : undefined;
    }
  }
  return { given, operands, pending };
}

/** The options that a word names: one in `--model`, several in `-pm`. */
function namesIn(word: string, options: Options): string[] {
  if (word.startsWith("--")) return [word.slice(2)];
  const letters = /^-(\w+)$/.exec(word)?.[1] ?? "";
  return [...letters].flatMap((letter) => Object.keys(options).find((name) => options[name]?.short === letter) ?? []);
}

/** A completion candidate. Not every shell shows the description. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** The candidates; with `paths`, the shell adds files or directories. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  readonly paths?: "file" | "directory";
}

/** The next words of the commands that begin with `prefix`, without duplicates. */
export function nextWords(prefix: string): Candidate[] {
  const found = new Map<string, string>();
  for (const [command, summary] of commandRows(prefix)) {
    const [word = ""] = command.slice(prefix.length).split(" ");
    found.set(word, found.has(word) && isCommandGroup(word) ? commandGroups[word] : summary);
  }
  return [...found].map(([value, description]) => ({ value, description }));
}
