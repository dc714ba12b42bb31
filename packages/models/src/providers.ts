// The providers: the table, and the names by which users write them and their models. To add one, add a row here and its variables to
// `providerVariables` in system/src/text/provider-variables.ts; what its servers do differently is a row in server-profiles.ts.

import { type ProviderVariables, providerVariables } from "@ikigai/system";

/** The providers; `openai-compatible` is any other server. */
export type ProviderName = keyof typeof providerVariables;

/** The wire formats. */
export type ApiName = "anthropic" | "openai" | "google" | "openai-compatible";

interface ProviderFacts extends ProviderVariables {
  /** The name for people. */
  readonly title: string;
  /** What people and other programs call it, in lower case: by its products, its models or another server. The first match counts. */
  readonly otherNames?: RegExp;
  /** The wire format that it speaks. What else it needs is in the profile of its host. */
  readonly api: ApiName;
  /** The default base URL. `{NAME}` is a variable of the environment, `{NAME:TEXT}` one with a default. */
  readonly baseUrl?: string;
  /** What follows a base URL that has no version. */
  readonly versionPath?: string;
  /** The model to use when only its key is set: a capable one, but not the most expensive. Without it, the first that it lists. */
  readonly model?: string;
  /** Matches the names of its models, if they are distinctive. */
  readonly modelPattern?: RegExp;
}

/** The providers, in the order in which their keys are checked. Their variables are in `@ikigai/system`, which keeps them from tools. */
const facts: Readonly<Record<ProviderName, Omit<ProviderFacts, keyof ProviderVariables>>> = {
  anthropic: {
    title: "Anthropic",
    otherNames: /^(claude|sonnet|opus|haiku)/,
    api: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    model: "claude-sonnet-5-5",
    modelPattern: /^claude-/,
  },
  openai: {
    title: "OpenAI",
    otherNames: /^(gpt(?!-oss)|chatgpt-|codex$)/,
    api: "openai",
    baseUrl: "https://api.openai.com/v1",
    model: "gpt-5.5",
    modelPattern: /^(gpt-(?!oss)|chatgpt-|o\d(-|$)|codex-)/,
  },
  google: {
    title: "Google",
    otherNames: /^(gemini|google|flash$)/,
    api: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-pro-latest",
    modelPattern: /^(models\/)?gemini-/,
  },
  "openai-compatible": {
    title: "The OpenAI-compatible server",
    otherNames: /^(vllm|lm-?studio|llama\.?cpp)$/,
    api: "openai-compatible",
  },
  openrouter: {
    title: "OpenRouter",
    api: "openai-compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    model: "~anthropic/claude-sonnet-latest",
  },
  groq: {
    title: "Groq",
    api: "openai-compatible",
    baseUrl: "https://api.groq.com/openai/v1",
    model: "openai/gpt-oss-120b",
  },
  mistral: {
    title: "Mistral",
    otherNames: /^(devstral|codestral|magistral)/,
    api: "openai-compatible",
    baseUrl: "https://api.mistral.ai/v1",
    model: "devstral-latest",
  },
  xai: {
    title: "xAI",
    otherNames: /^(grok|x-ai)/,
    api: "openai-compatible",
    baseUrl: "https://api.x.ai/v1",
    model: "grok-4.6",
  },
  deepseek: {
    title: "DeepSeek",
    api: "openai-compatible",
    baseUrl: "https://api.deepseek.com/v1",
    model: "deepseek-v4-pro",
  },
  together: {
    title: "Together AI",
    otherNames: /^(together-?ai)$/,
    api: "openai-compatible",
    baseUrl: "https://api.together.xyz/v1",
  },
  fireworks: {
    title: "Fireworks AI",
    otherNames: /^(fireworks-?ai)$/,
    api: "openai-compatible",
    baseUrl: "https://api.fireworks.ai/inference/v1",
  },
  cerebras: {
    title: "Cerebras",
    api: "openai-compatible",
    baseUrl: "https://api.cerebras.ai/v1",
    model: "zai-glm-4.7",
  },
  moonshot: {
    title: "Moonshot AI",
    otherNames: /^(kimi|moonshotai)/,
    api: "openai-compatible",
    baseUrl: "https://api.moonshot.ai/v1",
    model: "kimi-k3",
  },
  zai: {
    title: "Z.ai",
    otherNames: /^(glm|z\.ai|zhipu)/,
    api: "openai-compatible",
    baseUrl: "https://api.z.ai/api/paas/v4",
    model: "glm-5.3",
  },
  dashscope: {
    title: "DashScope",
    otherNames: /^(qwen|alibaba)/,
    api: "openai-compatible",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    model: "qwen3-coder-plus",
  },
  // Its models are named by their deployments, so there is no usual one.
  azure: {
    title: "Azure OpenAI",
    otherNames: /^(azure-openai|azure-?ai)$/,
    api: "openai",
    versionPath: "openai/v1",
  },
  vertex: {
    title: "Vertex AI",
    otherNames: /^(vertex-?ai)$/,
    api: "openai-compatible",
    baseUrl:
      "https://aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION:global}/endpoints/openapi",
    model: "google/gemini-3.1-pro-preview",
  },
  bedrock: {
    title: "Amazon Bedrock",
    otherNames: /^(amazon-bedrock|aws)$/,
    api: "openai-compatible",
    baseUrl: "https://bedrock-runtime.{AWS_REGION:us-east-1}.amazonaws.com/openai/v1",
    model: "openai.gpt-oss-120b-1:0",
  },
};

/** All providers, in the same order. */
export const providerNames = Object.keys(facts) as ProviderName[];

/** What is known about each. */
export const providerTable = Object.fromEntries(
  providerNames.map((name): [ProviderName, ProviderFacts] => [name, { ...providerVariables[name], ...facts[name] }]),
) as Readonly<Record<ProviderName, ProviderFacts>>;

/** The model to use when only a provider's key is set. */
export const defaultModels = Object.fromEntries(
  providerNames.flatMap((provider) => {
    const { model } = providerTable[provider];
    return model === undefined ? [] : [[provider, model]];
  }),
) as Readonly<Partial<Record<ProviderName, string>>>;

/** The accounts that the user can sign in to instead of having a key, and the wire format of their models. */
export const accounts = {
  chatgpt: {
    title: "ChatGPT",
    provider: "openai",
    baseUrl: "https://chatgpt.com/backend-api/codex",
    model: "gpt-5.5",
  },
  copilot: {
    title: "GitHub Copilot",
    provider: "openai-compatible",
    baseUrl: "https://api.individual.githubcopilot.com",
    model: "gpt-5.4",
  },
} as const;

export type AccountName = keyof typeof accounts;

export const accountNames = Object.keys(accounts) as AccountName[];

/** The providers that most people have, shown before the others. */
export const commonProviders: readonly ProviderName[] = ["anthropic", "openai", "google"];

/** A model as the user names it. Without `model` it is the provider's default. */
export interface ModelName {
  readonly provider: ProviderName;
  readonly model?: string;
  /** The server is the user's Ollama, whether or not it is running, and never the configured one. */
  readonly isOllama?: true;
  /** The model is reached with the tokens of an account. */
  readonly account?: AccountName;
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
  const account = accountNames.find((name) => name === head);
  if (account) return { provider: accounts[account].provider, ...(model && { model }), account };
  const provider = providerNames.find((name) => name === head);
  if (provider) return { provider, ...(model && { model }) };
  const owner = providerNames.find((name) => providerTable[name].modelPattern?.test(text.trim()));
  return owner && { provider: owner, model: text.trim() };
}

/** The provider that a word means that is not its name here: `claude` is `anthropic`. */
export function providerMeant(word: string): ProviderName | undefined {
  return providerNames.find((name) => providerTable[name].otherNames?.test(word.toLowerCase()));
}

/** The words for models by what they are for. */
export const modelWords = ["fast", "smart", "plan"] as const;

export type ModelWord = (typeof modelWords)[number];
