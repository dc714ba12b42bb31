import { type ProviderVariables, providerVariables } from "@ikigai/core/internal";

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
