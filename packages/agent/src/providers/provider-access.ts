import { providerKeyNames } from "@ikigai/core/internal";
import type { Config } from "../config/config.ts";
import type { ProviderName } from "../model/provider-table.ts";
import { providerNames, providerTable } from "../model/provider-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is known of a way to a provider. The environment stands before the configuration. */
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

/** Every key and password that is known, so that none is ever written down or shown. */
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
  // Also those by which other programs find a provider.
  const named = providerKeyNames.map((name) => env[name]?.trim());
  return [...new Set([...all, ...proxies, ...named].filter((secret): secret is string => Boolean(secret)))];
}

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** The password of a URL, as it is written and as it is sent. */
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
