import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "../model/model.ts";
import { chatEvents, chatFacts } from "./known-events.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { sdkModel } from "./sdk-model.ts";
import { skipUnknown } from "./skip-unknown.ts";

/** Any server with OpenAI's chat API: Ollama, llama.cpp, vLLM, and many paid services. */
export function openaiCompatibleModel({ context, apiKey, baseUrls, fetch }: ProviderSettings): Model {
  return sdkModel({
    context,
    routes: (onSkip) => {
      const known = skipUnknown(fetch, chatEvents, { title: context.title, onSkip });
      return baseUrls.map((baseURL) => {
        const metadataExtractor = { extractMetadata: async () => undefined, createStreamExtractor: chatFacts };
        const options = { name: context.provider, baseURL, fetch: known, includeUsage: true, metadataExtractor };
        return createOpenAICompatible(apiKey ? { ...options, apiKey } : options)(context.model);
      });
    },
    hasTags: true,
    ...(isMistral(baseUrls[0], context.model) && {
      form: { idPattern: /^[a-zA-Z0-9]{9}$/, maxIdLength: 9, endsCalls: true },
    }),
  });
}

/** Mistral's server, and the templates of its models on other servers, have rules of their own. */
function isMistral(baseUrl: string, model: string): boolean {
  return (
    new URL(baseUrl).hostname.endsWith(".mistral.ai") || /(?:mi|mag|min|dev|code)stral|mixtral|pixtral/i.test(model)
  );
}
