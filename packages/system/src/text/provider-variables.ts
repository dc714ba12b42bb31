// The variables of the environment that hold the keys and addresses of model providers: tools do not get the keys.

/** Environment variables that configure a model provider. */
export interface ProviderVariables {
  /** Holds the API key that ikigai uses. */
  readonly keyVariable: string;
  /** Holds the base URL. */
  readonly baseUrlVariable: string;
  /** Hold keys that other programs use; withheld from tools as well. */
  readonly otherKeyVariables: readonly string[];
}

/** The model providers. Which of several keys counts is up to the order in models/src/providers.ts. */
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
  openrouter: variables("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"),
  groq: variables("GROQ_API_KEY", "GROQ_BASE_URL"),
  mistral: variables("MISTRAL_API_KEY", "MISTRAL_BASE_URL"),
  xai: variables("XAI_API_KEY", "XAI_BASE_URL"),
  deepseek: variables("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"),
  together: variables("TOGETHER_API_KEY", "TOGETHER_BASE_URL"),
  fireworks: variables("FIREWORKS_API_KEY", "FIREWORKS_BASE_URL"),
  cerebras: variables("CEREBRAS_API_KEY", "CEREBRAS_BASE_URL"),
  moonshot: variables("MOONSHOT_API_KEY", "MOONSHOT_BASE_URL"),
  zai: variables("ZAI_API_KEY", "ZAI_BASE_URL"),
  dashscope: variables("DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL"),
  azure: variables("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
  vertex: variables("VERTEX_ACCESS_TOKEN", "VERTEX_BASE_URL"),
  bedrock: variables("AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_BASE_URL"),
} as const satisfies Readonly<Record<string, ProviderVariables>>;

function variables<const Key extends string, const Url extends string>(keyVariable: Key, baseUrlVariable: Url) {
  return { keyVariable, baseUrlVariable, otherKeyVariables: [] } as const;
}

/** The variables that hold provider API keys. Tools do not get them. */
export const providerKeyNames: readonly string[] = Object.values(providerVariables).flatMap(
  ({ keyVariable, otherKeyVariables }) => [keyVariable, ...otherKeyVariables],
);
