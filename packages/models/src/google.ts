import { createGoogle } from "@ai-sdk/google";
import type { Model } from "./model.ts";
import { type ProviderSettings, sdkModel } from "./sdk-model.ts";

export function googleModel({ context, server, apiKey = "", baseUrls: [baseURL], fetch }: ProviderSettings): Model {
  const provider = createGoogle({ apiKey, baseURL, fetch });
  return sdkModel({ context, server, routes: () => [provider(context.model)] });
}
