import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "../model/model.ts";
import { chatEvents } from "./known-events.ts";
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
        const options = { name: context.provider, baseURL, fetch: known, includeUsage: true };
        return createOpenAICompatible(apiKey ? { ...options, apiKey } : options)(context.model);
      });
    },
  });
}
