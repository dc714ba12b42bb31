import { type ProviderVariables, providerVariables } from "@ikigai/core/internal";

/** Whose models are talked to; `openai-compatible` is any other server. */
export type ProviderName = keyof typeof providerVariables;

export interface ProviderFacts extends ProviderVariables {
  /** For people. */
  readonly title: string;
  /** Where the provider is when nobody says otherwise. */
  readonly baseUrl?: string;
  /** The names of its models, where they tell themselves from all others. */
  readonly modelPattern?: RegExp;
}

/** The providers, in the order in which a key decides. */
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
    title: "The model server",
  },
};

/** All providers, in the same order. */
export const providerNames = Object.keys(providerTable) as ProviderName[];
