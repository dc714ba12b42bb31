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

export function accessTo(provider: ProviderName, config: Config, env: Environment): ProviderAccess {
  const { keyVariable, baseUrlVariable } = providerTable[provider];
  const configured = config.providers?.[provider];
  return {
    apiKey: env[keyVariable]?.trim() || configured?.apiKey?.trim() || undefined,
    baseUrl: env[baseUrlVariable]?.trim() || configured?.baseUrl?.trim() || undefined,
  };
}

/** Returns all known keys and passwords, which must never be written or shown. */
export function secretsOf(config: Config, env: Environment): string[] {
  const all = providerNames.flatMap((provider) => {
    const { keyVariable, baseUrlVariable } = providerTable[provider];
    const { apiKey, baseUrl } = config.providers?.[provider] ?? {};
    const passwords = [env[baseUrlVariable], baseUrl].map((url) =>
      url && URL.canParse(url) ? new URL(url).password : "",
    );
    return [env[keyVariable]?.trim(), apiKey?.trim(), ...passwords];
  });
  const proxies = proxyVariables.flatMap((name) => passwordsOf(env[name]));
  // Also the keys that other programs read.
  const named = providerKeyNames.map((name) => env[name]?.trim());
  return [...new Set([...all, ...proxies, ...named].filter((secret): secret is string => Boolean(secret)))];
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
