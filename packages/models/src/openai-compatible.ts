import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { chatEvents, chatFacts, skipUnknown } from "./event-stream.ts";
import type { Model } from "./model.ts";
import { type ProviderSettings, sdkModel } from "./sdk-model.ts";

/** Marks the whole conversation for the cache. */
const cached = { providerOptions: { openaiCompatible: { cache_control: { type: "ephemeral" } } } };

/** Any server with OpenAI's chat API: Ollama, llama.cpp, vLLM, and many paid services. */
export function openaiCompatibleModel({ context, server, apiKey, baseUrls, fetch }: ProviderSettings): Model {
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
        const options = { name: context.provider, baseURL, fetch: known, ...more };
        return createOpenAICompatible(apiKey ? { ...options, apiKey } : options)(context.model);
      });
    },
    extra: () => (server.profile.cachesOnRequest ? cached : {}),
  });
}
