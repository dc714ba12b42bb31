/** The variables by which a provider of models is found. */
export interface ProviderVariables {
  /** Holds the key that the host uses. */
  readonly keyVariable: string;
  /** Holds the address. */
  readonly baseUrlVariable: string;
  /** Hold keys that other programs use. */
  readonly otherKeyVariables: readonly string[];
}

/** The providers of models, in the order in which a key decides. */
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

/** The variables that hold the keys of model providers, by which the host itself works. Tools are not given them. */
export const providerKeyNames: readonly string[] = Object.values(providerVariables).flatMap(
  ({ keyVariable, otherKeyVariables }) => [keyVariable, ...otherKeyVariables],
);
