import type { ProviderName } from "../model/provider-table.ts";

/** The model to use when only a provider's key is set: a capable one, but not the most expensive. */
export const defaultModels: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.5",
  google: "gemini-pro-latest",
};
