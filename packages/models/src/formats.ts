// The four wire formats: the provider's package with what each needs besides. Only the format of the model in use is loaded.

import { anthropicEvents, chatEvents, chatFacts, skipUnknown } from "./event-stream.ts";
import type { Model } from "./model.ts";
import type { ApiName } from "./providers.ts";
import { type ProviderSettings, sdkModel } from "./sdk-model.ts";

/**
 * Maximum size of a response, in tokens. The SDK lowers it for models with a smaller limit; for models it does not know it
 * would request 4,096, too few for a file.
 */
const maxOutputTokens = 32_000;

async function anthropicModel({
  context,
  server,
  apiKey = "",
  baseUrls: [baseURL],
  fetch,
}: ProviderSettings): Promise<Model> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  return sdkModel({
    context,
    server,
    routes: (onSkip) => [
      createAnthropic({
        apiKey,
        baseURL,
        fetch: skipUnknown(fetch, anthropicEvents, { title: context.title, onSkip }),
      })(context.model),
    ],
    // Bedrock and gateways reject its field, `eager_input_streaming`.
    extra: () => ({
      maxOutputTokens,
      ...(!server.profile.isOwn && { providerOptions: { anthropic: { toolStreaming: false } } }),
    }),
  });
}

/** Uses the Responses API; on servers without it, the older chat API. */
async function openaiModel({
  context,
  server,
  apiKey = "",
  baseUrls: [baseURL],
  fetch,
}: ProviderSettings): Promise<Model> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const provider = createOpenAI({ apiKey, baseURL, fetch });
  const responses = provider.responses(context.model);
  const routes = server.profile.isOwn ? [responses] : [responses, provider.chat(context.model)];
  return sdkModel({
    context,
    server,
    routes: () => routes,
    // The provider stores nothing: a session must keep working after the provider's copy is gone.
    extra: ({ sessionId }) => ({ providerOptions: { openai: { store: false, promptCacheKey: sessionId } } }),
    // Otherwise all parameters of a tool are required.
    toolExtra: { strict: false },
  });
}

async function googleModel({
  context,
  server,
  apiKey = "",
  baseUrls: [baseURL],
  fetch,
}: ProviderSettings): Promise<Model> {
  const { createGoogle } = await import("@ai-sdk/google");
  const provider = createGoogle({ apiKey, baseURL, fetch });
  return sdkModel({ context, server, routes: () => [provider(context.model)] });
}

/** Marks the whole conversation for the cache. */
const cached = { providerOptions: { openaiCompatible: { cache_control: { type: "ephemeral" } } } };

/** Any server with OpenAI's chat API: Ollama, llama.cpp, vLLM, and many paid services. */
async function openaiCompatibleModel({ context, server, apiKey, baseUrls, fetch }: ProviderSettings): Promise<Model> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const transformRequestBody = (body: Record<string, unknown>) => {
    const rejected: readonly string[] = server.profile.rejects;
    return Object.fromEntries(Object.entries(body).filter(([name]) => !rejected.includes(name)));
  };
  return sdkModel({
    context,
    server,
    routes: (onSkip) => {
      const known = skipUnknown(fetch, chatEvents, { title: context.title, onSkip });
      return baseUrls.map((baseURL) => {
        const metadataExtractor = { extractMetadata: async () => undefined, createStreamExtractor: chatFacts };
        const more = { includeUsage: true, metadataExtractor, transformRequestBody };
        const options = { name: "openai-compatible", baseURL, fetch: known, ...more };
        return createOpenAICompatible(apiKey ? { ...options, apiKey } : options)(context.model);
      });
    },
    extra: () => (server.profile.cachesOnRequest ? cached : {}),
  });
}

/** The model of each wire format. Its package is loaded here, the only place where one is. */
export const formats: Readonly<Record<ApiName, (settings: ProviderSettings) => Promise<Model>>> = {
  anthropic: anthropicModel,
  openai: openaiModel,
  google: googleModel,
  "openai-compatible": openaiCompatibleModel,
};
