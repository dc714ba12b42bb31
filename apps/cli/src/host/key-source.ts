import { type Config, type ProviderName, providerTable } from "@ikigai/agent/internal";
import { keyringName } from "@ikigai/agent/setup";

/** Where the key of a provider comes from, for people; the environment comes first, then the configuration. */
export function keySource(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv): string | undefined {
  const { keyVariable } = providerTable[provider];
  if (env[keyVariable]?.trim()) return keyVariable;
  if (config.providers?.[provider]?.apiKey?.trim()) return "the configuration";
  const place = config.storedKeys?.placeOf(provider);
  return place === undefined ? undefined : keyPlace(place);
}

/** What a place of stored keys is called. */
export function keyPlace(place: "file" | "keyring"): string {
  return place === "file" ? "credentials.json" : `the ${keyringName()}`;
}
