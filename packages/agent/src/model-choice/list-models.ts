import type { Config } from "../config/config.ts";
import { expectedMessage } from "../model/agent-error.ts";
import { type ProviderName, providerNames, providerTable } from "../model/provider-table.ts";
import { serverOf } from "../providers/base-urls.ts";
import { accessTo, type Environment, keyedAccess } from "../providers/provider-access.ts";
import { listOllamaModels, ollamaUrl } from "./ollama.ts";

/**
 * Lists the models the user can choose, as `provider/model`: those of each provider with a key, a configured compatible
 * server, and a local Ollama. Servers that do not respond are skipped; `failed` gets the reason. Never rejects.
 */
export async function listModels(
  config: Config,
  env: Environment,
  failed: (problem: string) => void = () => {},
): Promise<string[]> {
  const lists = await Promise.all([
    ...providerNames.map((provider) => listOf(provider, { config, env, failed })),
    listOllamaModels(env).then((names = []) => names.map((name) => `ollama/${name}`)),
  ]);
  return [...new Set(lists.flat())];
}

interface Listing {
  readonly config: Config;
  readonly env: Environment;
  readonly failed: (problem: string) => void;
}

async function listOf(provider: ProviderName, { config, env, failed }: Listing): Promise<string[]> {
  try {
    const access = await keyedAccess(provider, config, env);
    if (provider === "openai-compatible" ? !access.baseUrl : !access.apiKey) return [];
    const { listProviderModels } = await import("./list-provider-models.ts");
    const names = await listProviderModels(provider, { access, config, env });
    return names.map((name) => `${provider}/${name}`);
  } catch (error) {
    failed(expectedMessage(error));
    return [];
  }
}

/**
 * Returns the server that lists the models of a provider or of `ollama`: its URL in one spelling, without user name and password;
 * `undefined` for a provider whose models ikigai cannot list.
 */
export function listingServer(provider: string, config: Config, env: Environment): string | undefined {
  if (provider === "ollama") return serverOf("openai-compatible", ollamaUrl(env));
  const name = providerNames.find((known) => known === provider);
  const baseUrl = name && (accessTo(name, config, env).baseUrl ?? providerTable[name].baseUrl);
  return baseUrl && serverOf(name, baseUrl);
}
