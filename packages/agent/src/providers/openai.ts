import { createOpenAI } from "@ai-sdk/openai";
import type { Model } from "../model/model.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { sdkModel } from "./sdk-model.ts";

/** The responses API; where a server that is not OpenAI's has none, the older chat API. */
export function openaiModel({ context, apiKey = "", baseUrls: [baseURL], fetch }: ProviderSettings): Model {
  const provider = createOpenAI({ apiKey, baseURL, fetch });
  const isOwn = new URL(baseURL).hostname.endsWith(".openai.com");
  const responses = provider.responses(context.model);
  const routes = isOwn ? [responses] : [responses, provider.chat(context.model)];
  return sdkModel({
    context,
    routes: () => routes,
    // Nothing of a conversation is kept at the provider's: a session must work after its copy there is gone.
    extra: ({ sessionId }) => ({ providerOptions: { openai: { store: false, promptCacheKey: sessionId } } }),
    // Otherwise every parameter of a tool counts as required.
    toolExtra: { strict: false },
  });
}
