import { createAnthropic } from "@ai-sdk/anthropic";
import type { Model } from "../model/model.ts";
import { anthropicEvents } from "./known-events.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { sdkModel } from "./sdk-model.ts";
import { skipUnknown } from "./skip-unknown.ts";

/**
 * The longest answer asked for, in tokens. The package lowers it for models that give less, and would ask models that it
 * does not know for 4,096: too few for a file.
 */
const maxOutputTokens = 32_000;

export function anthropicModel({ context, apiKey = "", baseUrls: [baseURL], fetch }: ProviderSettings): Model {
  return sdkModel({
    context,
    routes: (onSkip) => [
      createAnthropic({
        apiKey,
        baseURL,
        fetch: skipUnknown(fetch, anthropicEvents, { title: context.title, onSkip }),
      })(context.model),
    ],
    extra: () => ({ maxOutputTokens }),
    // Others use ids like `functions.bash:0`, which it refuses in a conversation that goes on with it.
    toId: (id) => id.replace(/[^\w-]/g, "_"),
  });
}
