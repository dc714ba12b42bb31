import { createAnthropic } from "@ai-sdk/anthropic";
import type { Model } from "../model/model.ts";
import { anthropicEvents } from "./known-events.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { sdkModel } from "./sdk-model.ts";
import { skipUnknown } from "./skip-unknown.ts";

/**
 * Maximum size of a response, in tokens. The SDK lowers it for models with a smaller limit; for models it does not know it
 * would request 4,096, too few for a file.
 */
const maxOutputTokens = 32_000;

export function anthropicModel({ context, apiKey = "", baseUrls: [baseURL], fetch }: ProviderSettings): Model {
  // Bedrock and gateways reject its field, `eager_input_streaming`.
  const isOwn = new URL(baseURL).hostname.endsWith(".anthropic.com");
  return sdkModel({
    context,
    routes: (onSkip) => [
      createAnthropic({
        apiKey,
        baseURL,
        fetch: skipUnknown(fetch, anthropicEvents, { title: context.title, onSkip }),
      })(context.model),
    ],
    extra: () => ({ maxOutputTokens, ...(!isOwn && { providerOptions: { anthropic: { toolStreaming: false } } }) }),
    // Other providers use IDs like `functions.bash:0`, which Anthropic rejects when a conversation continues with it.
    form: { idPattern: /^[\w-]+$/, maxIdLength: Number.POSITIVE_INFINITY },
  });
}
