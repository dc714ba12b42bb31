import type { Config } from "../config/config.ts";
import type { ProviderName } from "../model/provider-table.ts";
import { providerNames, providerTable } from "../model/provider-table.ts";
import { baseUrlsOf } from "../providers/base-urls.ts";
import { getJson } from "../providers/get-json.ts";
import { keyHeaders } from "../providers/key-headers.ts";
import { accessTo, type Environment } from "../providers/provider-access.ts";
import { listOllamaModels } from "./ollama.ts";

/** How long a server may take to list its models, in milliseconds. */
const askMs = 5_000;

/** Models that are not chat models. */
const otherKinds = /embed|rerank|whisper|tts|audio|realtime|image|dall-e|moderation|transcribe|sora|imagen|veo|aqa/i;

/**
 * Lists the models the user can choose, as `provider/model`: those of each provider with a key, a configured compatible
 * server, and a local Ollama. Servers that do not respond are skipped. Never rejects.
 */
export async function listModels(config: Config, env: Environment): Promise<string[]> {
  const lists = await Promise.all([
    ...providerNames.map((provider) => listOf(provider, config, env)),
    listOllamaModels(env).then((names) => names.map((name) => `openai-compatible/${name}`)),
  ]);
  return [...new Set(lists.flat())];
}

async function listOf(provider: ProviderName, config: Config, env: Environment): Promise<string[]> {
  const { apiKey, baseUrl = providerTable[provider].baseUrl } = accessTo(provider, config, env);
  if (!baseUrl || (!apiKey && provider !== "openai-compatible")) return [];
  try {
    const [url] = baseUrlsOf(provider, baseUrl);
    const answer = await getJson(`${url}/models`, { timeoutMs: askMs, headers: keyHeaders(provider, apiKey), env });
    return namesIn(answer).flatMap((name) => (otherKinds.test(name) ? [] : [`${provider}/${name}`]));
  } catch {
    return [];
  }
}

/** Google lists `models` with a `name`, the others `data` with an `id`. */
function namesIn(answer: unknown): string[] {
  const { data, models } = (answer ?? {}) as { data?: unknown; models?: unknown };
  const entries: unknown[] = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return entries.flatMap((entry) => {
    const { id, name } = entry as { id?: unknown; name?: unknown };
    const text = id ?? name;
    return typeof text === "string" ? [text.replace(/^models\//, "")] : [];
  });
}
