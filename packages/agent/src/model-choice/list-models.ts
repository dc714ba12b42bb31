import type { Config } from "../config/config.ts";
import type { ProviderName } from "../model/provider-table.ts";
import { providerNames } from "../model/provider-table.ts";
import { type Environment, keyedAccess } from "../providers/provider-access.ts";
import { listOllamaModels } from "./ollama.ts";

/**
 * Lists the models the user can choose, as `provider/model`: those of each provider with a key, a configured compatible
 * server, and a local Ollama. Servers that do not respond are skipped. Never rejects.
 */
export async function listModels(config: Config, env: Environment): Promise<string[]> {
  const lists = await Promise.all([
    ...providerNames.map((provider) => listOf(provider, config, env)),
    listOllamaModels(env).then((names) => names.map((name) => `ollama/${name}`)),
  ]);
  return [...new Set(lists.flat())];
}

async function listOf(provider: ProviderName, config: Config, env: Environment): Promise<string[]> {
  try {
    const access = await keyedAccess(provider, config, env);
    if (provider === "openai-compatible" ? !access.baseUrl : !access.apiKey) return [];
    const { listProviderModels } = await import("./list-provider-models.ts");
    const names = await listProviderModels(provider, { access, config, env });
    return names.map((name) => `${provider}/${name}`);
  } catch {
    return [];
  }
}
