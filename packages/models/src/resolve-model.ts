// Which model is used, in the order of a start: the choice from the options, the configuration and the keys; what to say without a
// model; the model itself, whose code loads with its first request; and the model with which a resumed session continues.

import { nearestWord, redact } from "@ikigai/system";
import {
  accessTo,
  addressVariable,
  baseUrlsOf,
  configName,
  hasKey,
  keyedAccess,
  keyOrigin,
  type ModelConfig,
  missingKey,
  noBaseUrl,
  noKeyAdvice,
  ownBaseUrl,
  type ProviderAccess,
  secretsOf,
  serverTitle,
  withheldKey,
} from "./access.ts";
import { ModelError } from "./errors.ts";
import { createFetch, defaultPatience, type Environment } from "./http.ts";
import { listProviderModels } from "./known-models.ts";
import type { Model, ModelUse } from "./model.ts";
import { findOllamaModel, needOllama, ollamaAccess, ollamaInstead, ollamaUrl } from "./ollama.ts";
import {
  type AccountName,
  accountNames,
  accounts,
  commonProviders,
  defaultModels,
  type ModelName,
  modelWords,
  type ProviderName,
  parseModelName,
  providerMeant,
  providerNames,
  providerTable,
} from "./providers.ts";
import { knownServer, profileOf } from "./server-profiles.ts";

/** Creates the caller's own models, by the part of the model name before the first slash. */
export type OwnModels = Readonly<Record<string, () => Promise<Model>>>;

/** Determines which model is used. */
interface ModelChoiceOptions {
  readonly config: ModelConfig;
  readonly env: Environment;
  /** The model requested on the command line; takes precedence over the configuration. */
  readonly wanted?: string;
  /** Take precedence over the providers. */
  readonly ownModels?: OwnModels;
}

/** One of the caller's own models, or a provider's. */
type ModelChoice = { readonly own: () => Promise<Model> } | { readonly name: ModelName };

/**
 * Returns the model to use, as far as it is known without querying a server: the requested one, else the configured one,
 * else that of the first provider that is set up; `undefined` without any of these.
 *
 * @throws ModelError `configuration` if the requested or configured name is not a model's.
 */
export function modelChoice(options: ModelChoiceOptions): ModelChoice | undefined {
  const { config, env } = options;
  const wanted = meantBy(options.wanted ?? config.model, config);
  if (wanted === undefined) {
    const provider = providerInUse(config, env);
    return provider && { name: { provider } };
  }
  const own = ownModel(wanted, options);
  return own ? { own } : { name: nameOf(wanted, options) };
}

/** The model that one of the words `fast`, `smart` and `plan` means; any other text as it is. @throws ModelError `configuration` */
function meantBy(text: string | undefined, { models = {} }: ModelConfig): string | undefined {
  const word = modelWords.find((known) => known === text?.trim());
  if (word === undefined || models[word] !== undefined) return word === undefined ? text : models[word];
  throw new ModelError(
    "configuration",
    `No model is set for ${word}. To set one: ikigai config set models.${word} PROVIDER/MODEL`,
  );
}

/** Returns the provider to use if no model is named: the first with a key, or a compatible server with a base URL. */
export function providerInUse(config: ModelConfig, env: Environment): ProviderName | undefined {
  return providerNames.find((provider) => {
    if (provider === "openai-compatible") return accessTo(provider, config, env).baseUrl;
    return hasKey(provider, config, env);
  });
}

function ownModel(text: string, { ownModels = {} }: ModelChoiceOptions): (() => Promise<Model>) | undefined {
  const [name = ""] = text.trim().split("/");
  return Object.hasOwn(ownModels, name) ? ownModels[name] : undefined;
}

function nameOf(text: string, { config, env, ownModels = {} }: ModelChoiceOptions): ModelName {
  const name = parseModelName(text);
  if (name) return name;
  const known = [...providerNames, ...accountNames, "ollama", ...Object.keys(ownModels)];
  const [provider = ""] = text.trim().split("/");
  if (!text.trim().endsWith("/") && accessTo("openai-compatible", config, env).baseUrl) {
    refuseTypo(text.trim(), provider, known);
    return { provider: "openai-compatible", model: text };
  }
  const isOther = /^[^/]+\/./.test(text.trim()) && !known.includes(provider);
  const problem = isOther
    ? `No provider is called "${provider}".`
    : `Expected a model as provider/model, got "${text}".`;
  const meant = advice(text.trim(), known);
  const ownServer =
    isOther && meant === "" ? ` On your own server, such names need ${addressVariable("openai-compatible")}.` : "";
  throw new ModelError("configuration", `${problem} Providers: ${known.join(", ")}.${meant}${ownServer}`);
}

/** What a text that is no model's name probably means, as a sentence. */
function advice(text: string, known: readonly string[]): string {
  const [head = ""] = text.split("/");
  const other = providerMeant(head);
  const provider = other ?? (head && nearestWord(head, known));
  if (!provider || provider === head) return "";
  const model = other && defaultModels[other];
  const isModel = head === text && model?.includes(text.toLowerCase());
  if (other && head === text && !isModel) return ` To list its models: ikigai models ${other}`;
  return ` Did you mean ${provider}${isModel ? `/${model}` : text.slice(head.length)}?`;
}

/** @throws ModelError `configuration` if the name before the first slash is one edit away from a known one. */
function refuseTypo(text: string, provider: string, known: readonly string[]): void {
  const meant = known.find((name) => nearestWord(provider, [name], 1 / Math.max(name.length, provider.length)));
  if (provider === "" || meant === undefined || meant === provider) return;
  throw new ModelError(
    "configuration",
    `No provider is called "${provider}". Did you mean ${meant}${text.slice(provider.length)}? ` +
      `For a model of that name: openai-compatible/${text}`,
  );
}

/** The variables of keys that need no base URL. */
const [firstKey = "", ...otherKeys] = commonProviders.map((name) => providerTable[name].keyVariable);

const ways = `  1. a provider's key:    export ${firstKey}=…   (or ${otherKeys.join(", ")};
                          ikigai help models lists OpenRouter, Groq and others)
  2. a compatible server: export ${addressVariable("openai-compatible")}=http://localhost:8080/v1
  3. Ollama:              ollama serve, and in another shell ollama pull qwen3   (found automatically)`;

/** The ways to set up a model. */
export const setupText = `To choose a language model, run ikigai setup, or do one of these and start again:\n${ways}`;

/** The same for a conversation, where none of it can be typed. */
export const setupTextInConversation = `To choose a language model, quit with ctrl-d and run ikigai setup, or do one of these in a shell and start again:\n${ways}`;

/** The same, as part of a sentence. */
export const shortSetupText = `run ikigai setup in a shell, set ${firstKey} (or ${otherKeys.join(", ")}), set ${addressVariable("openai-compatible")}, or start Ollama with a model (ollama pull qwen3)`;

/** Determines which model is used. */
export interface ResolveModelOptions extends ModelChoiceOptions {
  /** Creates the model to use if none is set up. Without it, that is an error. */
  readonly fallback?: () => Promise<Model>;
}

/**
 * Returns the model to use: the requested one, else the configured one, else that of the first provider with a key, else the first
 * one of the OpenAI-compatible server, if it has a base URL, else a local Ollama model. Loads only the code of its provider, on first use or `prepare`.
 *
 * @throws ModelError `configuration` if the requested or configured model cannot be used, or no model is set up.
 */
export async function resolveModel(options: ResolveModelOptions): Promise<Model> {
  const { env } = options;
  const choice = modelChoice(options);
  if (choice) return "own" in choice ? choice.own() : load(choice.name, options);
  const baseUrl = ollamaUrl(env);
  const model = await findOllamaModel(env);
  if (!model && options.fallback) return options.fallback();
  if (!model) throw new ModelError("configuration", `No model is set up: pass the option model, ${shortSetupText}.`);
  const found = await load({ provider: "openai-compatible", model, isOllama: true }, options);
  return { ...found, notice: `No model is configured: using ${model} from Ollama at ${new URL(baseUrl).host}.` };
}

/** Characters that HTTP headers cannot contain, or that an editor substituted when the key was pasted. */
const notInKeys = /[^\x20-\x7e]/;

async function load(name: ModelName, options: ResolveModelOptions): Promise<Model> {
  const { config, env } = options;
  const { provider, isOllama, account } = name;
  if (account) {
    const { model = accounts[account].model } = name;
    requireSignIn(account, config);
    return lazyModel(`${account}/${model}`, async () => {
      const { accountModel } = await import("./accounts.ts");
      return accountModel(account, model, { config, env });
    });
  }
  const { baseUrl: knownUrl } = checkedAccess(name, config, env);
  const { apiKey } = isOllama ? ollamaAccess(env) : await keyedAccess(provider, config, env);
  const baseUrl = knownUrl ?? (await ollamaInstead(env));
  const secrets = secretsOf(config, env);
  const chosen =
    name.model ??
    defaultModels[provider] ??
    redact(await firstModelOf(provider, { apiKey, baseUrl }, { config, env }), secrets);
  const withheld = isOllama ? undefined : withheldKey(provider, config, env);
  const ownAdvice = isOllama ? "Ollama is used without a key: check OLLAMA_HOST." : keyAdvice(provider, config, env);
  const baseUrls = baseUrlsOf(provider, baseUrl);
  const title = serverTitle({ ...name, baseUrl: baseUrls[0] });
  const context = { provider, title, model: chosen, keyAdvice: withheld ?? ownAdvice, secrets };
  const patience = { ...defaultPatience, ...config.patience };
  const place = isOllama ? { provider: "ollama" } : { provider, baseUrl: baseUrls[0] };
  const profile = profileOf({ ...place, model: chosen });
  const server = knownServer(profile);
  const fetch = createFetch({ env, patience, profile });
  return lazyModel(`${isOllama ? "ollama" : provider}/${chosen}`, async () => {
    const { formats } = await import("./formats.ts");
    return formats[providerTable[provider].api]({ context, server, apiKey, baseUrls, fetch });
  });
}

/** What to do when the key is rejected: about the one that was sent. */
function keyAdvice(provider: ProviderName, config: ModelConfig, env: Environment): string {
  const { keyVariable } = providerTable[provider];
  switch (keyOrigin(provider, config, env)) {
    case "environment":
      return `Check ${keyVariable}.`;
    case "config":
      return `Check providers.${provider}.apiKey in ${configName(env)}.`;
    case "stored":
      return `To replace the stored key: ikigai login ${provider}`;
    default:
      return `${noKeyAdvice(provider)} Then start ikigai again.`;
  }
}

/**
 * Returns how to reach a provider, as far as that is known without a request.
 *
 * @throws ModelError `configuration` if its key is missing or malformed, or its base URL is invalid.
 */
function checkedAccess(name: ModelName, config: ModelConfig, env: Environment): ProviderAccess {
  const { provider, isOllama, account } = name;
  if (isOllama) return ollamaAccess(env);
  if (account) requireSignIn(account, config);
  if (account) return { apiKey: undefined, baseUrl: accounts[account].baseUrl };
  const { keyVariable } = providerTable[provider];
  const { apiKey, baseUrl = ownBaseUrl(provider, env) } = accessTo(provider, config, env);
  if (!hasKey(provider, config, env) && provider !== "openai-compatible") throw missingKey(provider, config, env);
  if (apiKey && notInKeys.test(apiKey)) {
    throw new ModelError(
      "configuration",
      `The API key in ${keyVariable} or providers.${provider}.apiKey contains a line break or another invalid character. Copy it again.`,
    );
  }
  if (baseUrl !== undefined) baseUrlsOf(provider, baseUrl);
  else if (provider !== "openai-compatible") throw new ModelError("configuration", noBaseUrl(provider, env));
  const withheld = withheldKey(provider, config, env);
  if (withheld !== undefined && provider !== "openai-compatible") throw new ModelError("configuration", withheld);
  return { apiKey, baseUrl };
}

/** @throws ModelError `configuration` */
function requireSignIn(account: AccountName, { storedKeys }: ModelConfig): void {
  if (storedKeys?.isSignedIn(account)) return;
  const problem = storedKeys?.problem === undefined ? "" : ` ${storedKeys.problem}`;
  throw new ModelError(
    "configuration",
    `${accounts[account].title} needs a sign-in: ikigai login ${account}${problem}`,
  );
}

/** Returns why the selected model cannot be used, as far as that is known without a request. */
export function modelProblem(options: ModelChoiceOptions): string | undefined {
  try {
    const choice = modelChoice(options);
    if (choice && "name" in choice) checkedAccess(choice.name, options.config, options.env);
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
}

/** The same, after a request to Ollama if the selected model needs it. */
export async function unusableModel(options: ModelChoiceOptions): Promise<string | undefined> {
  const problem = modelProblem(options);
  if (problem !== undefined) return problem;
  const { config, env } = options;
  const choice = modelChoice(options);
  if (!choice || !("name" in choice) || choice.name.provider !== "openai-compatible") return undefined;
  if (choice.name.account) return undefined;
  try {
    if (choice.name.isOllama) await needOllama(env);
    else if (accessTo("openai-compatible", config, env).baseUrl === undefined) await ollamaInstead(env);
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
}

/**
 * Returns the first model that a server lists: many serve only one.
 *
 * @throws ModelError with the reason if the server does not answer or refuses; `configuration` if it lists none.
 */
async function firstModelOf(
  provider: ProviderName,
  access: ProviderAccess,
  { config, env }: ModelChoiceOptions,
): Promise<string> {
  const names = await listProviderModels(provider, { access, config, env }).catch((error: unknown) => {
    const hasNoList = error instanceof ModelError && (error.status === 404 || error.code === "not_a_model");
    if (hasNoList) return [];
    throw error;
  });
  if (names[0] !== undefined) return names[0];
  throw new ModelError(
    "configuration",
    `The server at ${new URL(access.baseUrl ?? "").host} does not list its models. Name one: --model NAME, /model NAME in a conversation, or "model" in ${configName(env)}.`,
  );
}

/** A model whose code is loaded on the first request or on `prepare`. */
export function lazyModel(id: string, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  const loaded = () => {
    if (!loading) {
      const started = load();
      // After a failed load, the next request tries again.
      started.catch(() => {
        if (loading === started) loading = undefined;
      });
      loading = started;
    }
    return loading;
  };
  return {
    id,
    async prepare() {
      // The request reports the error.
      await loaded().catch(() => {});
    },
    async *stream(request) {
      yield* (await loaded()).stream(request);
    },
  };
}

/** Which model a resumed session continues with, unless the user names one. */
export interface SessionModel {
  /** The model that it used last; absent if that cannot be used now. */
  readonly wanted?: string;
  /** What the user should know about it. */
  readonly notice?: string;
}

/**
 * Returns the model that a resumed session used last, if it can be used now, as far as that is known without a request. The
 * caller's own models are not kept: they only replace a missing one.
 */
export function sessionModel(lastUse: ModelUse | undefined, options: ModelChoiceOptions): SessionModel {
  if (lastUse === undefined || isOwn(lastUse.model, options)) return {};
  const { model } = lastUse;
  const problem = problemOf(model, options);
  if (problem !== undefined) return { notice: `This session used ${model}, which cannot be used now. ${problem}` };
  const configured = configuredModel(options);
  if (configured === undefined || configured === model) return { wanted: model };
  return { wanted: model, notice: `This session continues with ${model}; the configured model is ${configured}.` };
}

function isOwn(model: string, { ownModels = {} }: ModelChoiceOptions): boolean {
  const [name = ""] = model.split("/");
  return Object.hasOwn(ownModels, name);
}

function problemOf(model: string, options: ModelChoiceOptions): string | undefined {
  const name = parseModelName(model);
  if (name === undefined) return "ikigai has no such provider.";
  const { provider, isOllama, account } = name;
  const hasServer =
    provider !== "openai-compatible" || isOllama || account || accessTo(provider, options.config, options.env).baseUrl;
  if (!hasServer) return "openai-compatible has no base URL now.";
  return modelProblem({ ...options, wanted: model });
}

/** The model of the configuration as `provider/model`, if there is one and its name is complete. */
function configuredModel({ config, env, ownModels }: ModelChoiceOptions): string | undefined {
  if (config.model === undefined) return undefined;
  try {
    const choice = modelChoice({ config, env, ...(ownModels && { ownModels }) });
    if (choice === undefined || "own" in choice) return config.model;
    const { provider, isOllama, account } = choice.name;
    const { model = account ? accounts[account].model : defaultModels[provider] } = choice.name;
    return model === undefined ? undefined : `${account ?? (isOllama ? "ollama" : provider)}/${model}`;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}
