// How a provider is reached: its base URL, and which of the user's keys may go to which address; what to say when a key or an address is
// missing. At the end, what the configuration says about models.

import { join } from "node:path";
import { providerKeyNames, withoutEnd, withoutPassword } from "@ikigai/system";
import { inSentence, ModelError } from "./errors.ts";
import type { Environment, PatienceConfig } from "./http.ts";
import {
  type AccountName,
  type ApiName,
  type ModelWord,
  type ProviderName,
  providerNames,
  providerTable,
} from "./providers.ts";

/** A variable in a base URL, and its default. */
const placeholder = /\{(\w+)(?::([\w-]+))?\}/g;

/** The default base URL of a provider; `undefined` if it has none, or a variable that is part of it is not set. */
export function ownBaseUrl(provider: ProviderName, env: Environment): string | undefined {
  const { baseUrl } = providerTable[provider];
  const filled = baseUrl?.replace(placeholder, (found, name: string, usual = found) => {
    const value = env[name]?.trim() || usual;
    // Anything else could lead to another host.
    return /^[\w-]+$/.test(value) ? value : found;
  });
  return filled?.includes("{") ? undefined : filled;
}

/** The variable to set for a provider without a base URL: the part that its default lacks, or the whole. */
export function addressVariable(provider: ProviderName): string {
  const { baseUrl = "", baseUrlVariable } = providerTable[provider];
  return [...baseUrl.matchAll(placeholder)].find(([, , usual]) => usual === undefined)?.[1] ?? baseUrlVariable;
}

/** What to do about a provider without a base URL. */
export function noBaseUrl(provider: ProviderName, env: Environment): string {
  const { title, baseUrlVariable } = providerTable[provider];
  const needed = addressVariable(provider);
  const part = needed === baseUrlVariable ? "" : `${needed}, or the whole base URL in `;
  return `${title} needs a base URL: set ${part}${baseUrlVariable}, or providers.${provider}.baseUrl in ${configName(env)}.`;
}

/** What a sign-in gives. */
export interface AccountTokens {
  readonly access: string;
  /** Gets a new access token. */
  readonly refresh: string;
  readonly expiresAtMs: number;
  readonly accountId?: string;
  /** Where the account's models are, if not at the usual address. */
  readonly baseUrl?: string;
}

const versionPath: Record<ApiName, string> = {
  anthropic: "v1",
  openai: "v1",
  google: "v1beta",
  "openai-compatible": "v1",
};

/** Endpoints that people copy along with the base URL. */
const endpointPattern = /\/(messages|responses|chat\/completions|completions|models)$/;

const versionPattern = /^v\d+\w*$/;

/**
 * Returns the URLs that a base URL may mean: with the provider's version path if it has none. A compatible server may have
 * none, so there the original URL comes second.
 *
 * @throws ModelError `configuration` if it is not an http URL.
 */
export function baseUrlsOf(provider: ProviderName, text: string): readonly [string, ...string[]] {
  const problem = baseUrlProblem(provider, text);
  if (problem !== undefined) {
    const { baseUrlVariable } = providerTable[provider];
    const places = `It comes from ${baseUrlVariable} or, without that, from providers.${provider}.baseUrl.`;
    throw new ModelError("configuration", `${problem} ${places}`);
  }
  const url = new URL(text);
  const path = withoutEnd(withoutEnd(url.pathname, "/").replace(endpointPattern, ""), "/");
  const credentials = url.username && `${url.username}${url.password && `:${url.password}`}@`;
  const plain = `${url.protocol}//${credentials}${url.host}${path}`;
  if (path.split("/").some((segment) => versionPattern.test(segment))) return [plain];
  const facts = providerTable[provider];
  const versioned = `${plain}/${facts.versionPath ?? versionPath[facts.api]}`;
  return facts.api === "openai-compatible" ? [versioned, plain] : [versioned];
}

/** Returns what is wrong with a base URL, if anything. */
export function baseUrlProblem(provider: ProviderName, text: string): string | undefined {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return undefined;
  return `Expected the base URL of ${provider} to be like https://host/v1, got ${JSON.stringify(withoutPassword(text))}.`;
}

/** Returns the server that a base URL means, in one spelling and without user name and password; `undefined` for an invalid one. */
export function serverOf(provider: ProviderName, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  url.username = "";
  url.password = "";
  return /^https?:$/.test(url.protocol) ? baseUrlsOf(provider, url.href)[0] : undefined;
}

/** How to reach a provider. The environment takes precedence over the configuration. */
export interface ProviderAccess {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Where a provider is, and which of the user's keys may be sent there. A key from the environment may be sent anywhere. */
function route(provider: ProviderName, config: ModelConfig, env: Environment) {
  const { baseUrlVariable } = providerTable[provider];
  const ownUrl = ownBaseUrl(provider, env);
  const configured = config.providers?.[provider];
  const baseUrl = env[baseUrlVariable]?.trim() || configured?.baseUrl?.trim() || undefined;
  const server = baseUrl === undefined ? ownUrl : serverOf(provider, baseUrl);
  const isServer = (url: string | undefined) =>
    url !== undefined && server !== undefined && serverOf(provider, url) === server;
  const takesConfigured = isServer(ownUrl) || isServer(configured?.baseUrl?.trim());
  return { baseUrl, takesConfigured, takesStored: takesConfigured || isServer(config.storedKeys?.baseUrlOf(provider)) };
}

/**
 * Without asking the keyring: a key in it is known when it has been read before. A key of the configuration is sent to the
 * provider's own base URL and the configured one; a stored key also to the one that it was stored for.
 */
export function accessTo(provider: ProviderName, config: ModelConfig, env: Environment): ProviderAccess {
  const { baseUrl, takesConfigured, takesStored } = route(provider, config, env);
  const apiKey =
    env[providerTable[provider].keyVariable]?.trim() ||
    (takesConfigured && config.providers?.[provider]?.apiKey?.trim()) ||
    (takesStored && config.storedKeys?.known(provider)) ||
    undefined;
  return { apiKey, baseUrl };
}

/** Where the key comes from that is sent to a provider; `undefined` if none is sent. */
export function keyOrigin(
  provider: ProviderName,
  config: ModelConfig,
  env: Environment,
): "environment" | "config" | "stored" | undefined {
  const { takesConfigured, takesStored } = route(provider, config, env);
  if (env[providerTable[provider].keyVariable]?.trim()) return "environment";
  if (takesConfigured && config.providers?.[provider]?.apiKey?.trim()) return "config";
  return takesStored && config.storedKeys?.placeOf(provider) !== undefined ? "stored" : undefined;
}

/** Returns what is wrong with the base URL that a provider is reached by, if it has one. */
export function addressProblem(provider: ProviderName, config: ModelConfig, env: Environment): string | undefined {
  const { baseUrl } = route(provider, config, env);
  return baseUrl === undefined ? undefined : baseUrlProblem(provider, baseUrl);
}

/**
 * How a provider is reached, with a key from the keyring if there is no other.
 *
 * @throws ModelError `configuration` when the keyring does not give it, or the base URL may not get it.
 */
export async function keyedAccess(
  provider: ProviderName,
  config: ModelConfig,
  env: Environment,
): Promise<ProviderAccess> {
  const access = accessTo(provider, config, env);
  if (access.apiKey) return access;
  const problem = withheldKey(provider, config, env);
  // Any other server may need no key.
  if (problem !== undefined && provider !== "openai-compatible") throw new ModelError("configuration", problem);
  if (!route(provider, config, env).takesStored) return access;
  return { ...access, apiKey: await config.storedKeys?.read(provider) };
}

/** Whether there is a key for a provider, wherever it may be sent. Starts no program. */
export function hasKey(provider: ProviderName, config: ModelConfig, env: Environment): boolean {
  const key = env[providerTable[provider].keyVariable]?.trim() || config.providers?.[provider]?.apiKey?.trim();
  return Boolean(key) || config.storedKeys?.placeOf(provider) !== undefined;
}

/**
 * Says why a key is not sent to the base URL in the environment, and what to do; `undefined` if a key is sent, or none is stored.
 * Otherwise a variable, which a model's command can set, would decide who gets the key.
 */
export function withheldKey(provider: ProviderName, config: ModelConfig, env: Environment): string | undefined {
  const { title, keyVariable, baseUrlVariable } = providerTable[provider];
  const isSent = keyOrigin(provider, config, env) !== undefined;
  if (isSent || !env[baseUrlVariable]?.trim() || !hasKey(provider, config, env)) return undefined;
  return `The key of ${inSentence(title)} was not sent to the base URL in ${baseUrlVariable}: it was not stored for this address. Set ${keyVariable} too, set providers.${provider}.baseUrl in ${configName(env)}, or run ikigai login ${provider} with ${baseUrlVariable} set.`;
}

/**
 * Every key and password that is known, so that none is ever written down or shown. Keys that are read from the keyring later
 * are added to the list.
 */
export function secretsOf(config: ModelConfig, env: Environment): string[] {
  const all = providerNames.flatMap((provider) => {
    const { keyVariable, baseUrlVariable } = providerTable[provider];
    const { apiKey, baseUrl } = config.providers?.[provider] ?? {};
    const passwords = [env[baseUrlVariable], baseUrl].flatMap(passwordsOf);
    return [env[keyVariable]?.trim(), apiKey?.trim(), config.storedKeys?.known(provider), ...passwords];
  });
  const proxies = proxyVariables.flatMap((name) => passwordsOf(env[name]));
  // Also the keys that other programs read.
  const named = providerKeyNames.map((name) => env[name]?.trim());
  const tokens = config.storedKeys?.tokensKnown() ?? [];
  const known = [
    ...new Set([...all, ...tokens, ...proxies, ...named].filter((secret): secret is string => Boolean(secret))),
  ];
  config.storedKeys?.onKey((key) => known.push(key));
  return known;
}

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** Returns the password of a URL as written, as a URL has it, and decoded. */
function passwordsOf(url: string | undefined): string[] {
  if (!url) return [];
  const address = url.includes("://") ? url : `http://${url}`;
  if (!URL.canParse(address)) return [];
  const { password } = new URL(address);
  const written = /^[^/]*\/\/[^/?#]*?:([^/?#]*)@/.exec(address.trim())?.[1] ?? "";
  try {
    return [written, password, decodeURIComponent(password)];
  } catch {
    return [written, password];
  }
}

/** What to do if a server rejects a request that was sent without a key. */
export function noKeyAdvice(provider: ProviderName): string {
  const { keyVariable } = providerTable[provider];
  return `No key was sent. To store one: ikigai login ${provider}. Or set ${keyVariable}.`;
}

/** The error for a provider whose requests need a key, and that gets none. */
export function missingKey(provider: ProviderName, config: ModelConfig, env: Environment): ModelError {
  const { title, keyVariable } = providerTable[provider];
  const problem = config.storedKeys?.problem;
  const needed = `${title} needs an API key: run ikigai login ${provider}, or set ${keyVariable}.${problem === undefined ? "" : ` ${problem}`}`;
  return new ModelError("configuration", withheldKey(provider, config, env) ?? needed);
}

/** Returns the headers in which a provider expects the key. */
export function keyHeaders(provider: ProviderName, apiKey: string | undefined): Record<string, string> {
  if (!apiKey) return {};
  const { api } = providerTable[provider];
  if (api === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  return api === "google" ? { "x-goog-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

interface Server {
  readonly provider: ProviderName;
  readonly isOllama?: boolean;
  /** A valid URL. */
  readonly baseUrl: string;
}

/** The name that people know the server by: the provider's, or the address that they have set. Never a password. */
export function serverTitle({ provider, isOllama = false, baseUrl }: Server): string {
  if (provider !== "openai-compatible") return providerTable[provider].title;
  const { origin } = new URL(baseUrl);
  return isOllama ? `Ollama at ${origin}` : `The server at ${origin}`;
}

/** What the configuration says about models. */
export interface ModelConfig {
  /** The model to use, `provider/model`. */
  readonly model?: string;
  /** The models that these words mean. */
  readonly models?: { readonly [Use in ModelWord]?: string };
  /** How to reach the providers. */
  readonly providers?: { readonly [Name in ProviderName]?: { readonly apiKey?: string; readonly baseUrl?: string } };
  readonly patience?: PatienceConfig;
  readonly storedKeys?: StoredKeys;
}

/** The keys that `ikigai login` has stored. */
export interface StoredKeys {
  /** What is wrong with the file; then it holds no keys. */
  readonly problem: string | undefined;
  /** Where a provider's key is. Starts no program. */
  placeOf(provider: ProviderName): "file" | "keyring" | undefined;
  /** The base URL that a provider's key was stored for, if it was not the provider's own. */
  baseUrlOf(provider: ProviderName): string | undefined;
  /** A key from the file, or one that has been read from the keyring before. */
  known(provider: ProviderName): string | undefined;
  /**
   * The key of a provider, from the keyring if need be.
   *
   * @throws ModelError `configuration` when the keyring does not give it.
   */
  read(provider: ProviderName): Promise<string | undefined>;
  /** Whether the user has signed in to an account. */
  isSignedIn(account: AccountName): boolean;
  /** All tokens that are stored. */
  tokensKnown(): readonly string[];
  /**
   * The tokens of an account, renewed if they expire, or if the service has rejected this access token.
   *
   * @throws ModelError `configuration` without a sign-in, `unauthorized` when it has ended, or what the network fails with.
   */
  tokens(account: AccountName, rejected?: string): Promise<AccountTokens>;
  /** Calls the listener with each key or token that becomes known from now on. */
  onKey(listener: (key: string) => void): void;
  /** Reads again what is stored: the user has logged in or out meanwhile. */
  refresh(): void;
  /** Keys are never printed. */
  toJSON(): undefined;
}

/** What messages call the user's `config.json`: with `~`, unless IKIGAI_HOME names another directory. */
export function configName({ IKIGAI_HOME }: Readonly<Record<string, string | undefined>>): string {
  return join(IKIGAI_HOME || "~/.ikigai", "config.json");
}
