/** Whose models are talked to; `openai-compatible` is any other server. */
export type ProviderName = "anthropic" | "openai" | "google" | "openai-compatible";

export interface ProviderFacts {
  /** For people. */
  readonly title: string;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  /** Where the provider is when nobody says otherwise. */
  readonly baseUrl?: string;
  /** The names of its models, where they tell themselves from all others. */
  readonly modelPattern?: RegExp;
}

/** The providers, in the order in which a key decides. */
export const providerTable: Readonly<Record<ProviderName, ProviderFacts>> = {
  anthropic: {
    title: "Anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
    modelPattern: /^claude-/,
  },
  openai: {
    title: "OpenAI",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    modelPattern: /^(gpt-(?!oss)|chatgpt-|o\d(-|$)|codex-)/,
  },
  google: {
    title: "Google",
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    modelPattern: /^(models\/)?gemini-/,
  },
  "openai-compatible": {
    title: "The model server",
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  },
};

/** All providers, in the same order. */
export const providerNames = Object.keys(providerTable) as ProviderName[];
