import type { ProviderName } from "../model/provider-table.ts";

/** Returns the headers in which a provider expects the key. */
export function keyHeaders(provider: ProviderName, apiKey: string | undefined): Record<string, string> {
  if (!apiKey) return {};
  if (provider === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  return provider === "google" ? { "x-goog-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}
