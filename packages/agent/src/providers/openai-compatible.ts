import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "../model/model.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { sdkModel } from "./sdk-model.ts";

/** Any server that speaks OpenAI's chat API: Ollama, llama.cpp, vLLM, and many that cost money. */
export function openaiCompatibleModel({ context, apiKey, baseUrls, fetch }: ProviderSettings): Model {
  const routes = baseUrls.map((baseURL) => {
    const options = { name: context.provider, baseURL, fetch, includeUsage: true };
    return createOpenAICompatible(apiKey ? { ...options, apiKey } : options)(context.model);
  });
  return sdkModel({ context, routes });
}
