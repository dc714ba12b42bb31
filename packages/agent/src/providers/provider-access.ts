import { providerKeyNames } from "@ikigai/core/internal";
import type { Config } from "../config/config.ts";
import type { ProviderName } from "../model/provider-table.ts";
import { providerNames, providerTable } from "../model/provider-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** How to reach a provider. The environment takes precedence over the configuration. */
export interface ProviderAccess {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Without asking the keyring: a key in it is known when it has been read before. */
export function accessTo(provider: ProviderName, config: Config, env: Environment): ProviderAccess {
  const { keyVariable, baseUrlVariable } = providerTable[provider];
  const configured = config.providers?.[provider];
  return {
    apiKey: env[keyVariable]?.trim() || configured?.apiKey?.trim() || config.storedKeys?.known(provider),
    baseUrl: env[baseUrlVariable]?.trim() || configured?.baseUrl?.trim() || undefined,
  };
}

/**
 * How a provider is reached, with a key from the keyring if there is no other.
 *
 * @throws ModelError `configuration` when the keyring does not give it.
 */
export async function keyedAccess(provider: ProviderName, config: Config, env: Environment): Promise<ProviderAccess> {
  const access = accessTo(provider, config, env);
  return access.apiKey ? access : { ...access, apiKey: await config.storedKeys?.read(provider) };
}

/** Whether there is a key for a provider. Starts no program. */
export function hasKey(provider: ProviderName, config: Config, env: Environment): boolean {
  return Boolean(accessTo(provider, config, env).apiKey) || config.storedKeys?.placeOf(provider) !== undefined;
}

/**
 * Every key and password that is known, so that none is ever written down or shown. Keys that are read from the keyring later
 * are added to the list.
 */
export function secretsOf(config: Config, env: Environment): string[] {
  const all = providerNames.flatMap((provider) => {
    const { keyVariable, baseUrlVariable } = providerTable[provider];
    const { apiKey, baseUrl } = config.providers?.[provider] ?? {};
    const passwords = [env[baseUrlVariable], baseUrl].map((url) =>
      url && URL.canParse(url) ? new URL(url).password : "",
    );
    return [env[keyVariable]?.trim(), apiKey?.trim(), config.storedKeys?.known(provider), ...passwords];
  });
  const proxies = proxyVariables.flatMap((name) => passwordsOf(env[name]));
  // Also the keys that other programs read.
  const named = providerKeyNames.map((name) => env[name]?.trim());
  const known = [...new Set([...all, ...proxies, ...named].filter((secret): secret is string => Boolean(secret)))];
  config.storedKeys?.onKey((key) => known.push(key));
  return known;
}

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** Returns the password of a URL, as written and decoded. */
function passwordsOf(url: string | undefined): string[] {
  if (!url) return [];
  const address = url.includes("://") ? url : `http://${url}`;
  if (!URL.canParse(address)) return [];
  const { password } = new URL(address);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
