import { createAnthropic } from "@ai-sdk/anthropic";
import { anthropicEvents, skipUnknown } from "./event-stream.ts";
import type { Model } from "./model.ts";
import { type ProviderSettings, sdkModel } from "./sdk-model.ts";

/**
 * Maximum size of a response, in tokens. The SDK lowers it for models with a smaller limit; for models it does not know it
 * would request 4,096, too few for a file.
 */
const maxOutputTokens = 32_000;

export function anthropicModel({ context, server, apiKey = "", baseUrls: [baseURL], fetch }: ProviderSettings): Model {
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
