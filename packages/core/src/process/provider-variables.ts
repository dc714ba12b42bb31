/** Environment variables that configure a model provider. */
export interface ProviderVariables {
  /** Holds the API key that ikigai uses. */
  readonly keyVariable: string;
  /** Holds the base URL. */
  readonly baseUrlVariable: string;
  /** Hold keys that other programs use; withheld from tools as well. */
  readonly otherKeyVariables: readonly string[];
}

/** The model providers. If several keys are set, the first provider wins. */
export const providerVariables = {
  anthropic: {
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    otherKeyVariables: ["ANTHROPIC_AUTH_TOKEN"],
  },
  openai: {
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    otherKeyVariables: ["OPENAI_ADMIN_KEY"],
  },
  google: {
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    otherKeyVariables: [
      "GOOGLE_AI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_GEMINI_API_KEY",
      "GOOGLE_GENERATIVE_AI_API_KEY",
      "GOOGLE_GENAI_API_KEY",
    ],
  },
  "openai-compatible": {
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
    otherKeyVariables: [],
  },
} as const satisfies Readonly<Record<string, ProviderVariables>>;

/** The variables that hold provider API keys. Tools do not get them. */
export const providerKeyNames: readonly string[] = Object.values(providerVariables).flatMap(
  ({ keyVariable, otherKeyVariables }) => [keyVariable, ...otherKeyVariables],
);
