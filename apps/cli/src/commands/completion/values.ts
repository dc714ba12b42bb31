// The values that completion offers, by kind: first the table of kinds, then how each is listed. Nothing here runs a tool or uses the network.

import { type Places, readConfig } from "@ikigai/agent/internal";
import { settingKeys } from "@ikigai/agent/setup";
import { knownTools } from "@ikigai/core/internal";
import { accountNames, accounts, commonProviders, defaultModels, providerNames, providerTable } from "@ikigai/models";
import { isJsonObject, toolNameOf } from "@ikigai/protocol";
import { listSessions, readRecording } from "@ikigai/session";
import { ToolRoot } from "@ikigai/tool-packages";
import { otherAgentNames } from "../../args/commands.ts";
import type { Completion } from "../../args/option.ts";
import { summaryOf, topics } from "../../help/topics.ts";
import { rememberedModels } from "../../host/model/remembered-models.ts";
import { age } from "../../render/short-forms.ts";
import { type Candidate, nextWords, type Offer } from "./position.ts";

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
  "tool-argument": async ({ places, words }) => ({ candidates: await toolArguments(places, words) }),
  rule: async ({ places }) => ({ candidates: await tools(places) }),
  installed: ({ places, words }) => ({ candidates: installed(places, words.includes("--project")) }),
  "mcp-server": ({ places }) => ({ candidates: servers(places) }),
  "mcp-tool": ({ places, words }) => ({ candidates: serverTools(places, words) }),
  session: ({ places }) => ({ candidates: sessions(places) }),
  call: ({ places, words }) => ({ candidates: calls(places, words) }),
  provider: () => ({ candidates: providers() }),
  "other-agent": () => ({ candidates: otherAgentNames.map((value) => ({ value })) }),
  "model-provider": () => ({ candidates: [...providers(), ...ownProviders] }),
  setting: () => ({ candidates: settingKeys().map((value) => ({ value })) }),
  model: ({ places }) => ({ candidates: models(places) }),
  check: async () => ({ candidates: await checks() }),
  topic: ({ words }) => ({ candidates: helpTopics(words) }),
};

function providers(): Candidate[] {
  const signIns = accountNames.map((value) => ({ value, description: accounts[value].title }));
  return [...providerNames.map((value) => ({ value, description: providerTable[value].title })), ...signIns];
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

/** The parameters of the tool that was named, each with its values if there are few; without those that are given already. */
async function toolArguments(places: Places, [name, ...given]: readonly string[]): Promise<Candidate[]> {
  const { properties } = (await knownTools(places)).find((tool) => tool.name === name)?.parameters ?? {};
  return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, property]) => {
    const { type, enum: choices, description } = isJsonObject(property) ? property : {};
    if (type !== "array" && given.some((word) => word.startsWith(`${key}=`) || word.startsWith(`${key}:=`))) return [];
    const values = type === "boolean" ? [true, false] : Array.isArray(choices) ? choices : [""];
    const sign = type === "object" ? ":=" : "=";
    return values.map((value) => ({
      value: `${key}${sign}${String(value)}`,
      ...(typeof description === "string" && { description }),
    }));
  });
}

function installed(places: Places, isProject: boolean): Candidate[] {
  const record = ToolRoot.of(places, { isProject }).record();
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
  return ToolRoot.ofUser(places).flatMap((root) =>
    [...root.servers()].map(([server, { tools }]) => ({ server, files: Object.keys(tools) })),
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
  const { model, models: words = {} } = readConfig(home).config;
  const defaults = commonProviders.map((provider) => `${provider}/${defaultModels[provider]}`);
  const named = [
    ...(model === undefined ? [] : [model]),
    ...Object.keys(words),
    ...rememberedModels(home),
    ...defaults,
    "offline",
  ];
  const providers = [...providerNames, ...accountNames].map((provider) => `${provider}/`);
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
