// What is known about models before they answer: context windows and prices, which models there are to choose from, and at the end what a
// provider lists when it is asked. A server that does not answer in time counts as one that says nothing.

import http from "node:http";
import { redact } from "@ikigai/system";
import {
  accessTo,
  baseUrlsOf,
  keyedAccess,
  keyHeaders,
  type ModelConfig,
  missingKey,
  noBaseUrl,
  noKeyAdvice,
  ownBaseUrl,
  type ProviderAccess,
  secretsOf,
  serverOf,
  serverTitle,
  withheldKey,
} from "./access.ts";
import { expectedMessage, ModelError } from "./errors.ts";
import { type Environment, getJson, reachJson } from "./http.ts";
import type { Usage } from "./model.ts";
import { listOllamaModels, ollamaAccess, ollamaUrl } from "./ollama.ts";
import {
  type AccountName,
  accountNames,
  accounts,
  type ProviderName,
  parseModelName,
  providerNames,
  providerTable,
} from "./providers.ts";
import { toModelError } from "./server-errors.ts";

/** Facts about the models in use. */
export interface KnownModels {
  /** Returns the facts known so far. The first call starts the lookup, without waiting for it. */
  of(id: string): ModelFacts | undefined;
  /** Waits for the lookup. */
  lookUp(id: string): Promise<ModelFacts>;
  /** Reports that the model has answered: a server that loads models on demand may know its context window now. */
  answered(id: string): void;
}

/**
 * How often a model is looked up again while its window is unknown. Ollama knows after the first response; many servers
 * never do.
 */
const maxRepeats = 3;

export function knownModels(config: ModelConfig, env: Environment): KnownModels {
  const pending = new Map<string, Promise<ModelFacts>>();
  const known = new Map<string, ModelFacts>();
  const repeats = new Map<string, number>();
  const lookUp = (id: string) => {
    const found = pending.get(id) ?? modelFacts(id, config, env);
    pending.set(id, found);
    void found.then((facts) => known.set(id, facts));
    return found;
  };
  return {
    of(id) {
      if (!pending.has(id)) void lookUp(id);
      return known.get(id);
    },
    lookUp,
    answered(id) {
      const facts = known.get(id);
      const repeat = repeats.get(id) ?? 0;
      if (!facts || facts.contextWindow !== undefined || repeat >= maxRepeats) return;
      repeats.set(id, repeat + 1);
      pending.delete(id);
      void lookUp(id);
    },
  };
}

/** Facts about a model. Unknown ones are absent, never guessed. */
export interface ModelFacts {
  /** The context window, in tokens. */
  readonly contextWindow?: number;
  /**
   * Returns the cost of a usage in US dollars, by the provider's price list; `undefined` if the price is unknown.
   *
   * @param requests how many requests the usage is of: some providers charge more for a long one. By default, they count as short ones.
   */
  readonly cost: (usage: Usage, requests?: number) => number | undefined;
}

/** How long a server may take to describe its models, in milliseconds. */
const askMs = 2_000;

/** Looks up a model, `provider/model`, in the bundled price list, else in the server's own data. Never rejects. */
export async function modelFacts(id: string, config: ModelConfig, env: Environment): Promise<ModelFacts> {
  const name = parseModelName(id);
  if (!name?.model) return { cost: () => undefined };
  const { provider, model } = name;
  if (name.account) {
    // The price list is that of the API; the subscription costs something else.
    const window = (await listedFacts(config, env))(`openai/${model}`).contextWindow;
    return { ...(window !== undefined && { contextWindow: window }), cost: () => undefined };
  }
  const access = name.isOllama
    ? ollamaAccess(env)
    : await keyedAccess(provider, config, env).catch(() => accessTo(provider, config, env));
  const baseUrl = access.baseUrl ?? (provider === "openai-compatible" ? ollamaUrl(env) : ownBaseUrl(provider, env));
  const { calcPrice } = await import("@pydantic/genai-prices");
  const owner = await ownerOf(provider, baseUrl, env);
  const priceOf = (usage: Usage) => owner && calcPrice(usageForPrices(usage), model, { provider: owner });
  const listed = priceOf({ inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 })?.model;
  const contextWindow = await windowOf(
    { provider, model, baseUrl, apiKey: access.apiKey, env },
    listed?.context_window,
  );
  return { ...(contextWindow !== undefined && { contextWindow }), cost: costOfSum(priceOf) };
}

/** What is known about a model without asking its server. Unknown facts are absent. */
export interface ListedFacts {
  /** In tokens. */
  readonly contextWindow?: number;
  /** In US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
  /** What it can besides text, as far as ikigai can use that with its provider. */
  readonly abilities: readonly Ability[];
}

type Ability = "images" | "PDF" | "thinking";

/** What families of models can; a model of none may be able to. */
const abilitiesOf: readonly (readonly [model: RegExp, ...can: Ability[]])[] = [
  [/claude-(?:(?:sonnet|opus|haiku|fable)|3[-.]7)/, "images", "PDF", "thinking"],
  [/claude-3/, "images", "PDF"],
  [/gpt-(?:[5-9])(?!.*chat)|\bo[34]\b/, "images", "PDF", "thinking"],
  [/gpt-4(?:o|\.1)|gpt-\d.*chat/, "images", "PDF"],
  [/gemini-(?:2\.5|[3-9]|pro-latest|flash-latest)/, "images", "PDF", "thinking"],
  [/grok-[4-9]|kimi-k(?:2\.[5-9]|[3-9])|glm-\d(?:\.\d)?v/i, "images", "thinking"],
  [/gpt-oss|deepseek-(?:reasoner|r1|v[4-9])|glm-[4-9]|magistral|kimi-k2-thinking|qwq/i, "thinking"],
  [/pixtral|[-\d]vl\b|mistral-(?:medium|small)/i, "images"],
];

/** Returns a function that looks models, `provider/model`, up in the bundled price list. */
export async function listedFacts(config: ModelConfig, env: Environment): Promise<(id: string) => ListedFacts> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  // A million at once would cost more with providers that charge more for long conversations.
  const thousand = { input_tokens: 1_000, output_tokens: 1_000 };
  const owners = new Map<ProviderName, Awaited<ReturnType<typeof ownerOf>>>();
  for (const provider of providerNames)
    owners.set(provider, await ownerOf(provider, accessTo(provider, config, env).baseUrl, env));
  return (id) => {
    const { provider, model, isOllama, account } = parseModelName(id) ?? {};
    if (provider === undefined || model === undefined) return { abilities: [] };
    const owner = isOllama || account ? undefined : owners.get(provider);
    const listed = owner && calcPrice(thousand, model, { provider: owner });
    const [, ...can] = abilitiesOf.find(([pattern]) => pattern.test(model)) ?? [];
    const takesPdf = providerTable[provider].api !== "openai-compatible";
    const window = listed?.model.context_window;
    return {
      ...(window !== undefined && { contextWindow: window }),
      ...(listed && { price: { input: 1_000 * listed.input_price, output: 1_000 * listed.output_price } }),
      abilities: can.filter((ability) => ability !== "PDF" || takesPdf),
    };
  };
}

/** The entry of a provider in the bundled price list: that of its own API, or of the server at a base URL. */
async function ownerOf(provider: ProviderName, baseUrl: string | undefined, env: Environment) {
  const { findProvider } = await import("@pydantic/genai-prices");
  const { api } = providerTable[provider];
  if (api === provider && api !== "openai-compatible") return findProvider({ providerId: provider });
  return findProvider({ providerApiUrl: baseUrl ?? ownBaseUrl(provider, env) ?? "" });
}

/** Returns what a usage of a model cost, in US dollars, without asking a server; `undefined` if the price is unknown. */
export async function listedCost(id: string, config: ModelConfig, env: Environment): Promise<ModelFacts["cost"]> {
  const name = parseModelName(id);
  if (!name?.model) return () => undefined;
  const { provider, model } = name;
  const { baseUrl } = name.isOllama ? ollamaAccess(env) : accessTo(provider, config, env);
  const { calcPrice } = await import("@pydantic/genai-prices");
  const owner = await ownerOf(provider, baseUrl, env);
  return costOfSum((usage) => owner && calcPrice(usageForPrices(usage), model, { provider: owner }));
}

/** A request of this length costs the usual price with every provider, in tokens. */
const shortTokens = 10_000;

/** Prices a sum by its average request. */
function costOfSum(priceOf: (usage: Usage) => { readonly total_price: number } | undefined | null): ModelFacts["cost"] {
  return (usage, requests = Math.ceil((usage.inputTokens + usage.outputTokens) / shortTokens)) => {
    const parts = Math.max(1, requests);
    const each = Object.fromEntries(
      Object.entries(usage).map(([name, tokens]) => [name, tokens / parts]),
    ) as unknown as Usage;
    const price = priceOf(each)?.total_price;
    return price === undefined ? undefined : price * parts;
  };
}

interface Asked {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly env: Environment;
}

/** A compatible server knows its actual window best; other providers are asked only for what the list lacks. */
async function windowOf({ provider, model, baseUrl, apiKey, env }: Asked, listed: number | undefined) {
  try {
    const [url] = baseUrlsOf(provider, baseUrl ?? "");
    if (providerTable[provider].api === "openai-compatible")
      return (await servedWindow(model, { provider, baseUrl: url, apiKey, env })) ?? listed;
    if (provider !== "google" || listed !== undefined || !apiKey) return listed;
    const answer = await getJson(`${url}/models/${model}`, {
      timeoutMs: askMs,
      headers: keyHeaders(provider, apiKey),
      env,
    });
    const limit = (answer as { inputTokenLimit?: unknown } | undefined)?.inputTokenLimit;
    return typeof limit === "number" ? limit : undefined;
  } catch {
    return listed;
  }
}

function usageForPrices({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
}

/** A model as servers list it: OpenRouter, vLLM and llama.cpp each name the window differently. */
interface ServedModel {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly owned_by?: unknown;
  readonly context_length?: unknown;
  readonly max_model_len?: unknown;
  readonly meta?: { readonly n_ctx?: unknown; readonly n_ctx_train?: unknown } | null;
}

/** Who owns a model of Ollama's library, as its `/v1/models` says. */
const ollamaOwner = "library";

async function servedWindow(
  model: string,
  { provider, baseUrl, apiKey, env }: Omit<Asked, "model"> & { readonly baseUrl: string },
): Promise<number | undefined> {
  const headers = keyHeaders(provider, apiKey);
  const ask = (url: string) => getJson(url, { timeoutMs: askMs, headers, env });
  const served = ((await ask(`${baseUrl}/models`)) as { data?: (ServedModel | null)[] } | null | undefined)?.data;
  const own = Array.isArray(served) ? served.find((entry) => entry?.id === model) : undefined;
  // Ollama reports the window in use only for a loaded model; the model's maximum does not help. No other server is asked this.
  const isOllama = serverOf(provider, baseUrl) === serverOf(provider, ollamaUrl(env)) || own?.owned_by === ollamaOwner;
  const loaded = isOllama ? await ask(`${baseUrl.replace(/\/v1$/, "")}/api/ps`) : undefined;
  const running = (loaded as { models?: (ServedModel | null)[] } | null | undefined)?.models;
  const held = Array.isArray(running) ? running.find((entry) => entry?.name === model) : undefined;
  const sizes = [
    held?.context_length,
    own?.context_length,
    own?.max_model_len,
    own?.meta?.n_ctx,
    own?.meta?.n_ctx_train,
  ];
  return sizes.find((size): size is number => typeof size === "number" && size > 0);
}

/**
 * Lists the models the user can choose, as `provider/model`: those of each provider with a key, a configured compatible
 * server, and a local Ollama. Servers that do not respond are skipped; `failed` gets the reason. Never rejects.
 */
export async function listModels(
  config: ModelConfig,
  env: Environment,
  failed: (problem: string) => void = () => {},
): Promise<string[]> {
  const lists = await Promise.all([
    ...providerNames.map((provider) => listOf(provider, { config, env, failed })),
    ...accountNames.map((account) => listOfAccount(account, { config, env, failed })),
    listOllamaModels(env).then((names = []) => names.map((name) => `ollama/${name}`)),
  ]);
  return [...new Set(lists.flat())];
}

interface Listing {
  readonly config: ModelConfig;
  readonly env: Environment;
  readonly failed: (problem: string) => void;
}

async function listOf(provider: ProviderName, { config, env, failed }: Listing): Promise<string[]> {
  try {
    const access = await keyedAccess(provider, config, env);
    if (provider === "openai-compatible" ? !access.baseUrl : !access.apiKey) return [];
    const names = await listProviderModels(provider, { access, config, env });
    return names.map((name) => `${provider}/${name}`);
  } catch (error) {
    failed(expectedMessage(error));
    return [];
  }
}

async function listOfAccount(account: AccountName, { config, env, failed }: Listing): Promise<string[]> {
  if (!config.storedKeys?.isSignedIn(account)) return [];
  try {
    const { listAccountModels } = await import("./accounts.ts");
    return (await listAccountModels(account, { config, env })).map((name) => `${account}/${name}`);
  } catch (error) {
    failed(expectedMessage(error));
    return [];
  }
}

/**
 * Returns the server that lists the models of a provider or of `ollama`: its URL in one spelling, without user name and password;
 * `undefined` for a provider whose models ikigai cannot list.
 */
export function listingServer(provider: string, config: ModelConfig, env: Environment): string | undefined {
  if (provider === "ollama") return serverOf("openai-compatible", ollamaUrl(env));
  const account = accountNames.find((known) => known === provider);
  if (account) return accounts[account].baseUrl;
  const name = providerNames.find((known) => known === provider);
  const baseUrl = name && (accessTo(name, config, env).baseUrl ?? ownBaseUrl(name, env));
  return baseUrl && serverOf(name, baseUrl);
}

/** How long a server may take to list its models, in milliseconds. */
const listMs = 5_000;

/**
 * Asks for the whole list: 20 models come unless asked for more, and 50.
 * https://docs.anthropic.com/en/api/models-list, https://ai.google.dev/api/models#method:-models.list
 */
const wholeList: Partial<Record<ProviderName, string>> = { anthropic: "?limit=1000", google: "?pageSize=1000" };

/** Models for other uses than a conversation. */
const otherKinds = /embed|rerank|whisper|tts|audio|realtime|image|dall-e|moderation|transcribe|sora|imagen|veo|aqa/i;

interface ListModelsOptions {
  readonly access: ProviderAccess;
  readonly config: ModelConfig;
  readonly env: Environment;
}

/**
 * The models that a provider lists, by its own names. The cheapest request that needs a key, so it tests one too.
 *
 * @throws ModelError that says what is wrong: the key, the address, the network, or the answer.
 */
export async function listProviderModels(
  provider: ProviderName,
  { access, config, env }: ListModelsOptions,
): Promise<string[]> {
  const { apiKey, baseUrl = ownBaseUrl(provider, env) } = access;
  if (baseUrl === undefined) throw new ModelError("configuration", noBaseUrl(provider, env));
  const secrets = [...secretsOf(config, env), ...(apiKey ? [apiKey] : [])];
  const keyAdvice = apiKey ? "Check the key." : (withheldKey(provider, config, env) ?? noKeyAdvice(provider));
  const [first, second] = baseUrlsOf(provider, baseUrl);
  if (!apiKey && provider !== "openai-compatible") throw missingKey(provider, config, env);
  const title = serverTitle({ provider, baseUrl: first });
  const context = { provider, title, model: "the list of models", keyAdvice, secrets };
  const ask = async (url: string) => {
    const { status, text } = await reachJson(`${url}/models${wholeList[provider] ?? ""}`, {
      headers: keyHeaders(provider, apiKey),
      timeoutMs: listMs,
      env,
    });
    return { url, status, text };
  };
  const answered = await ask(first);
  const { url, status, text } = answered.status === 404 && second ? await ask(second) : answered;
  if (status === 404) throw notAList(url, "has no list of models at this URL (404)", status);
  if (status !== 200) {
    const message = http.STATUS_CODES[status] ?? "";
    throw toModelError({ message, url, statusCode: status, responseBody: text }, context);
  }
  const names = namesIn(text);
  if (names) return names.filter((name) => !otherKinds.test(name)).map((name) => redact(name, secrets));
  throw notAList(url, "answers, but not with a list of models");
}

function notAList(url: string, problem: string, status?: number): ModelError {
  const text = `${new URL(url).host} ${problem}. Some servers have no such list: name the model, untested. With any other, the base URL is wrong.`;
  return new ModelError("not_a_model", text, status === undefined ? {} : { status });
}

/** Google lists `models` with a `name`, the others `data` with an `id`; `undefined` when there is no such list. */
function namesIn(text: string): string[] | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data, models } = (answer ?? {}) as { data?: unknown; models?: unknown };
  const entries = [data, models].find((list): list is unknown[] => Array.isArray(list));
  return entries?.flatMap((entry) => {
    const { id, name } = (entry ?? {}) as { id?: unknown; name?: unknown };
    const found = id ?? name;
    return typeof found === "string" ? [found.replace(/^models\//, "")] : [];
  });
}
