import { createOpenAI } from "@ai-sdk/openai";
import type { Model } from "./model.ts";
import { type ProviderSettings, sdkModel } from "./sdk-model.ts";

/** Uses the Responses API; on servers without it, the older chat API. */
export function openaiModel({ context, server, apiKey = "", baseUrls: [baseURL], fetch }: ProviderSettings): Model {
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
