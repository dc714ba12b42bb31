import { type ProviderVariables, providerVariables, withoutEnd, withoutPassword } from "@ikigai/system";
import { ModelError } from "./errors.ts";

/** The providers; `openai-compatible` is any other server. */
export type ProviderName = keyof typeof providerVariables;

export interface ProviderFacts extends ProviderVariables {
  /** The name for people. */
  readonly title: string;
  /** The default base URL. */
  readonly baseUrl?: string;
  /** Matches the names of its models, if they are distinctive. */
  readonly modelPattern?: RegExp;
}

/** The providers, in the order in which their keys are checked. */
export const providerTable: Readonly<Record<ProviderName, ProviderFacts>> = {
  anthropic: {
    ...providerVariables.anthropic,
    title: "Anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    modelPattern: /^claude-/,
  },
  openai: {
    ...providerVariables.openai,
    title: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    modelPattern: /^(gpt-(?!oss)|chatgpt-|o\d(-|$)|codex-)/,
  },
  google: {
    ...providerVariables.google,
    title: "Google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    modelPattern: /^(models\/)?gemini-/,
  },
  "openai-compatible": {
    ...providerVariables["openai-compatible"],
    title: "The OpenAI-compatible server",
  },
};

/** All providers, in the same order. */
export const providerNames = Object.keys(providerTable) as ProviderName[];

/** A model as the user names it. Without `model` it is the provider's default. */
export interface ModelName {
  readonly provider: ProviderName;
  readonly model?: string;
  /** The server is the user's Ollama, whether or not it is running, and never the configured one. */
  readonly isOllama?: true;
}

/**
 * Parses `provider/model`, a provider alone, or a model alone if its name identifies the provider. Model names may contain
 * slashes. `undefined` if the provider is unknown, or nothing follows its slash.
 */
export function parseModelName(text: string): ModelName | undefined {
  const [head = "", ...rest] = text.trim().split("/");
  const model = rest.join("/");
  if (rest.length > 0 && model === "") return undefined;
  if (head === "ollama") return { provider: "openai-compatible", ...(model && { model }), isOllama: true };
  const provider = providerNames.find((name) => name === head);
  if (provider) return { provider, ...(model && { model }) };
  const owner = providerNames.find((name) => providerTable[name].modelPattern?.test(text.trim()));
  return owner && { provider: owner, model: text.trim() };
}

/** What people and other programs call the providers: by their products, their models or another server. */
const otherNames: readonly (readonly [pattern: RegExp, provider: ProviderName])[] = [
  [/^(claude|sonnet|opus|haiku)/, "anthropic"],
  [/^(gpt(?!-oss)|chatgpt|codex$)/, "openai"],
  [/^(gemini|google|flash$)/, "google"],
  [/^(openrouter|groq|vllm|lm-?studio)$/, "openai-compatible"],
];

/** The provider that a word means that is not its name here: `claude` is `anthropic`. */
export function providerMeant(word: string): ProviderName | undefined {
  return otherNames.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1];
}

const versionPath: Record<ProviderName, string> = {
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
  const versioned = `${plain}/${versionPath[provider]}`;
  return provider === "openai-compatible" ? [versioned, plain] : [versioned];
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
