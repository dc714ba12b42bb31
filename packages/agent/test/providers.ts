import {
  type Model,
  type ModelConfig,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type PatienceConfig,
  resolveModel,
} from "@ikigai/models";

/** The configuration of each provider for a server. */
export const providers = [
  { name: "anthropic", key: "ANTHROPIC_API_KEY", base: "ANTHROPIC_BASE_URL", path: "/v1/messages" },
  { name: "openai", key: "OPENAI_API_KEY", base: "OPENAI_BASE_URL", path: "/v1/responses" },
  {
    name: "google",
    key: "GEMINI_API_KEY",
    base: "GOOGLE_GEMINI_BASE_URL",
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
  },
  {
    name: "openai-compatible",
    key: "OPENAI_COMPATIBLE_API_KEY",
    base: "OPENAI_COMPATIBLE_BASE_URL",
    path: "/v1/chat/completions",
  },
] as const;

export type Provider = (typeof providers)[number];

export const secret = "sk-test-0123456789abcdef";

export function modelOf(provider: Provider, url: string, patience: PatienceConfig = {}, model = "m"): Promise<Model> {
  const config: ModelConfig = { patience };
  const env = { [provider.key]: secret, [provider.base]: url };
  return resolveModel({ config, env, wanted: `${provider.name}/${model}` });
}

const request: ModelRequest = {
  system: "You help.",
  messages: [{ role: "user", text: "hello" }],
  tools: [],
  sessionId: "s1",
  signal: new AbortController().signal,
};

/** A model's whole response, and how it ended. */
export async function hear(
  model: Model,
  wanted: Partial<ModelRequest> = {},
): Promise<{ events: ModelEvent[]; text: string; error?: ModelError }> {
  const events: ModelEvent[] = [];
  const text = () => events.map((event) => (event.type === "text" ? event.text : "")).join("");
  try {
    for await (const event of model.stream({ ...request, ...wanted })) if (event.type !== "ping") events.push(event);
    return { events, text: text() };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, text: text(), error };
  }
}
