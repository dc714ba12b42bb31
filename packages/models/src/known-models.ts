import { accessTo, type Environment, keyedAccess, keyHeaders, type ModelConfig } from "./access.ts";
import { getJson } from "./http.ts";
import type { Usage } from "./model.ts";
import { ollamaAccess, ollamaUrl } from "./ollama.ts";
import { baseUrlsOf, type ProviderName, parseModelName, providerTable, serverOf } from "./providers.ts";

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

/** The model to use when only a provider's key is set: a capable one, but not the most expensive. */
export const defaultModels: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.5",
  google: "gemini-pro-latest",
};

/** Facts about a model. Unknown ones are absent, never guessed. */
export interface ModelFacts {
  /** The context window, in tokens. */
  readonly contextWindow?: number;
  /** Returns the cost of a usage in US dollars, by the provider's price list; `undefined` if the price is unknown. */
  readonly cost: (usage: Usage) => number | undefined;
}

/** How long a server may take to describe its models, in milliseconds. */
const askMs = 2_000;

/** Looks up a model, `provider/model`, in the bundled price list, else in the server's own data. Never rejects. */
export async function modelFacts(id: string, config: ModelConfig, env: Environment): Promise<ModelFacts> {
  const name = parseModelName(id);
  if (!name?.model) return { cost: () => undefined };
  const { provider, model } = name;
  const access = name.isOllama
    ? ollamaAccess(env)
    : await keyedAccess(provider, config, env).catch(() => accessTo(provider, config, env));
  const isCompatible = provider === "openai-compatible";
  const baseUrl = access.baseUrl ?? (isCompatible ? ollamaUrl(env) : providerTable[provider].baseUrl);
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const owner = findProvider(isCompatible ? { providerApiUrl: baseUrl ?? "" } : { providerId: provider });
  const priceOf = (usage: Usage) => owner && calcPrice(usageForPrices(usage), model, { provider: owner });
  const listed = priceOf({ inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 })?.model;
  const contextWindow = await windowOf(
    { provider, model, baseUrl, apiKey: access.apiKey, env },
    listed?.context_window,
  );
  return { ...(contextWindow !== undefined && { contextWindow }), cost: (usage) => priceOf(usage)?.total_price };
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
    if (provider === "openai-compatible") return (await servedWindow(model, url, apiKey, env)) ?? listed;
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
  baseUrl: string,
  apiKey: string | undefined,
  env: Environment,
): Promise<number | undefined> {
  const provider = "openai-compatible";
  const root = baseUrl.replace(/\/(v1\/?)?$/, "");
  const headers = keyHeaders(provider, apiKey);
  const ask = (path: string) => getJson(`${root}${path}`, { timeoutMs: askMs, headers, env });
  const served = ((await ask("/v1/models")) as { data?: (ServedModel | null)[] } | null | undefined)?.data;
  const own = Array.isArray(served) ? served.find((entry) => entry?.id === model) : undefined;
  // Ollama reports the window in use only for a loaded model; the model's maximum does not help. No other server is asked this.
  const isOllama = serverOf(provider, baseUrl) === serverOf(provider, ollamaUrl(env)) || own?.owned_by === ollamaOwner;
  const loaded = isOllama ? await ask("/api/ps") : undefined;
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
