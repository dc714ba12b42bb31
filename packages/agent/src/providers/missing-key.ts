import type { Config } from "../config/config.ts";
import { ModelError } from "../model/model-error.ts";
import { type ProviderName, providerTable } from "../model/provider-table.ts";
import { type Environment, withheldKey } from "./provider-access.ts";

/** What to do if a server rejects a request that was sent without a key. */
export function noKeyAdvice(provider: ProviderName): string {
  const { keyVariable } = providerTable[provider];
  return `No key was sent. To store one: ikigai login ${provider}. Or set ${keyVariable}.`;
}

/** The error for a provider whose requests need a key, and that gets none. */
export function missingKey(provider: ProviderName, config: Config, env: Environment): ModelError {
  const { title, keyVariable } = providerTable[provider];
  const problem = config.storedKeys?.problem;
  const needed = `${title} needs an API key: run ikigai login ${provider}, or set ${keyVariable}.${problem === undefined ? "" : ` ${problem}`}`;
  return new ModelError("configuration", withheldKey(provider, config, env) ?? needed);
}
