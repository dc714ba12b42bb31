// `ikigai models`: what the providers list, and the model that is used when none is named. In reading order: how the lists are made, the
// default, and how all of it is printed.

import type { Config } from "@ikigai/agent/internal";
import { IkigaiError } from "@ikigai/core/errors";
import {
  type AccountName,
  accessTo,
  accountNames,
  addressProblem,
  addressVariable,
  defaultModels,
  findOllamaModel,
  keyedAccess,
  listOllamaModels,
  listProviderModels,
  ollamaHostProblem,
  ollamaUrl,
  ownBaseUrl,
  type ProviderName,
  providerInUse,
  providerNames,
  providerTable,
  secretsOf,
  unusableModel,
} from "@ikigai/models";
import { listAccountModels } from "@ikigai/models/accounts";
import { sanitiseLine } from "@ikigai/screen";
import { redact, withoutPassword } from "@ikigai/system";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { narrowColumns } from "../help/columns.ts";
import { ownModels } from "../host/model/choose-model.ts";
import { maxModels, rememberedModelsOf, rememberModels } from "../host/model/remembered-models.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printOut } from "../host/terminal/stdout.ts";
import { safeJson } from "../render/json.ts";
import { keySource } from "../render/render-settings.ts";
import type { Command, CommandContext } from "./command.ts";
import { unknownProvider } from "./login.ts";
import { configWithKeys, signInState } from "./sign-in.ts";

const syntax = commands.models;

/** What a provider lists, or why it does not. */
interface Listed {
  readonly provider: string;
  /** Where its key or its address comes from. */
  readonly source: string;
  readonly models: readonly string[];
  readonly error?: string;
}

export const models: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [wanted] = readOperands(operands, syntax);
    if (wanted !== undefined) checkName(wanted);
    const config = configWithKeys(context);
    const lists = await listAll(wanted, config, context);
    const chosen = await defaultModel(config, context, lists);
    const { env, places } = context;
    const problem = await unusableModel({ config, env, ownModels: ownModels(places.projectDir) });
    const others = wanted === undefined ? missing(config, env) : [];
    if (flags.has("json")) {
      const report = {
        default: chosen ?? null,
        ...(problem !== undefined && { problem }),
        providers: lists,
        not_set_up: others.map((provider) => ({ provider, variables: neededVariables(provider, config, env) })),
      };
      printOut(`${safeJson(JSON.stringify(report))}\n`);
    } else {
      const ending = [
        ...renderDefault({ chosen, provider: providerInUse(config, env), lists, problem }),
        ...(wanted === undefined ? renderMissing(others, config, env) : []),
      ];
      printOut(`${render(lists, chosen)}\n${ending.join("\n")}\n`);
    }
    const asked = lists.filter(({ provider }) => provider !== "offline");
    const isFailed = asked.length > 0 && asked.every(({ error }) => error !== undefined);
    return isFailed ? exitCodes.failed : exitCodes.done;
  },
};

const ownNames = [...accountNames, "ollama", "offline"] as const;

function checkName(name: string): void {
  const known: readonly string[] = [...providerNames, ...ownNames];
  if (known.includes(name)) return;
  throw unknownProvider(name, known);
}

async function listAll(wanted: string | undefined, config: Config, { places, env }: CommandContext): Promise<Listed[]> {
  const isWanted = (name: string) => wanted === undefined || wanted === name;
  const isAsked = (name: ProviderName) => isSetUp(name, config, env) || addressProblem(name, config, env) !== undefined;
  const asked = providerNames.filter((name) => name === wanted || (wanted === undefined && isAsked(name)));
  const lists = await Promise.all([
    ...asked.map((name) => listOf(name, config, env, places.home)),
    ...accountNames
      .filter((name) => name === wanted || (wanted === undefined && config.storedKeys?.isSignedIn(name)))
      .map((name) => listOfAccount(name, config, env, places.home)),
    ...(isWanted("ollama") ? [ollama(env, wanted === "ollama")] : []),
  ]);
  const found = lists.flat();
  const names = found.flatMap(({ models: listed, error }) => (error === undefined ? listed : []));
  rememberModels(places.home, names, { config, env });
  return isWanted("offline") ? [...found, { provider: "offline", source: "built in", models: ["offline"] }] : found;
}

function isSetUp(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv): boolean {
  if (provider === "openai-compatible") return accessTo(provider, config, env).baseUrl !== undefined;
  return keySource(provider, config, env) !== undefined;
}

/** What a provider lists; when it does not answer, what it has listed before. */
async function listOf(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv, home: string): Promise<Listed[]> {
  const key = keySource(provider, config, env);
  const { baseUrl } = accessTo(provider, config, env);
  const source = [...(key ? [`key from ${key}`] : []), ...(baseUrl ? [`at ${withoutPassword(baseUrl)}`] : [])].join(
    ", ",
  );
  try {
    const access = await keyedAccess(provider, config, env);
    const names = await listProviderModels(provider, { access, config, env });
    return [{ provider, source, models: names.map((name) => `${provider}/${name}`) }];
  } catch (error) {
    if (!(error instanceof IkigaiError)) throw error;
    const known = rememberedModelsOf(provider, home, { config, env });
    return [{ provider, source, models: known, error: redact(error.message, secretsOf(config, env)) }];
  }
}

async function listOfAccount(
  provider: AccountName,
  config: Config,
  env: NodeJS.ProcessEnv,
  home: string,
): Promise<Listed[]> {
  const source = signInState(provider, config, env);
  try {
    const names = await listAccountModels(provider, { config, env });
    return [{ provider, source, models: names.map((name) => `${provider}/${name}`) }];
  } catch (error) {
    if (!(error instanceof IkigaiError)) throw error;
    const known = rememberedModelsOf(provider, home, { config, env });
    return [{ provider, source, models: known, error: redact(error.message, secretsOf(config, env)) }];
  }
}

async function ollama(env: NodeJS.ProcessEnv, isNamed: boolean): Promise<Listed[]> {
  const problem = ollamaHostProblem(env);
  if (problem !== undefined) return [{ provider: "ollama", source: "", models: [], error: problem }];
  const names = await listOllamaModels(env);
  const { host } = new URL(ollamaUrl(env));
  const found = { provider: "ollama", source: `at ${host}`, models: (names ?? []).map((name) => `ollama/${name}`) };
  if (names === undefined)
    return isNamed ? [{ ...found, error: `No Ollama answers at ${host}. To start it: ollama serve` }] : [];
  return [names.length > 0 ? found : { ...found, error: "It has no model. To fetch one: ollama pull NAME" }];
}

/** The model that is used when none is named. */
async function defaultModel(
  config: Config,
  { places, env }: CommandContext,
  lists: readonly Listed[],
): Promise<string | undefined> {
  if (config.model !== undefined) return config.model;
  const provider = providerInUse(config, env);
  if (provider === undefined) {
    const found = await findOllamaModel(env);
    return found && `ollama/${found}`;
  }
  const usual = defaultModels[provider];
  if (usual !== undefined) return `${provider}/${usual}`;
  const list =
    lists.find((known) => known.provider === provider) ?? (await listOf(provider, config, env, places.home))[0];
  return list?.models[0];
}

/** The providers that have no key. */
function missing(config: Config, env: NodeJS.ProcessEnv): ProviderName[] {
  return providerNames.filter((name) => name !== "openai-compatible" && !isSetUp(name, config, env));
}

function render(lists: readonly Listed[], chosen: string | undefined): string {
  // What can be used now comes first.
  const ordered = [...lists.filter(({ error }) => !error), ...lists.filter(({ error }) => error)];
  const blocks = ordered.map(({ provider, source, models: names, error }) => {
    const problem = error === undefined ? "" : `  ${sanitiseLine(error)}\n`;
    const note = error !== undefined && names.length > 0 ? "  Listed before:\n" : "";
    const shown = names.slice(0, maxModels);
    const rows = shown.map((name) => `${name === chosen ? "*" : " "} ${sanitiseLine(name)}\n`).join("");
    const others = names.length - shown.length;
    const more = others === 0 ? "" : `  … and ${others} more (--json lists all)\n`;
    return `${provider}${source === "" ? "" : ` (${sanitiseLine(source)})`}\n${problem}${note}${rows}${more}`;
  });
  return blocks.join("\n");
}

interface Default {
  readonly chosen: string | undefined;
  /** The provider that is used if no model is configured. */
  readonly provider: ProviderName | undefined;
  readonly lists: readonly Listed[];
  readonly problem: string | undefined;
}

/** The default model, and why it cannot be used. */
function renderDefault({ chosen, provider, lists, problem }: Default): readonly string[] {
  const name = chosen === undefined ? [] : [`Default: ${sanitiseLine(chosen)}${mark(chosen, lists)}`];
  if (problem !== undefined) return [...name, `The default model cannot be used: ${sanitiseLine(problem)}`];
  if (name.length > 0) return name;
  if (provider !== undefined) return [`No default model: ${provider} does not list its models.`];
  return ["No model is set up. To choose one: ikigai setup"];
}

/** How to use the providers that are not set up. */
function renderMissing(names: readonly ProviderName[], config: Config, env: NodeJS.ProcessEnv): readonly string[] {
  const signedOut = accountNames.filter((name) => !config.storedKeys?.isSignedIn(name));
  const rows = [
    ...names.map((name) => [name, neededVariables(name, config, env).join(", ")] as const),
    ...signedOut.map((name) => [name, `ikigai login ${name}`] as const),
  ];
  if (rows.length === 0) return [];
  const way = "Not set up (set what is listed, or run ikigai login PROVIDER):";
  return ["", way, narrowColumns(rows).trimEnd()];
}

/** The variables to set for a provider: its key, and what its base URL lacks. */
function neededVariables(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv): string[] {
  const { keyVariable } = providerTable[provider];
  const baseUrl = accessTo(provider, config, env).baseUrl ?? ownBaseUrl(provider, env);
  return baseUrl === undefined ? [keyVariable, addressVariable(provider)] : [keyVariable];
}

/** What follows the name of the default model: that its provider lists it, or does not. */
function mark(chosen: string, lists: readonly Listed[]): string {
  if (lists.some(({ models: names }) => names.includes(chosen))) return " (*)";
  const own = lists.find(({ provider, error }) => error === undefined && chosen.startsWith(`${provider}/`));
  if (own === undefined || own.models.length === 0) return "";
  return `, which ${own.provider} does not list. To choose another: ikigai setup`;
}
