import type { ProviderName } from "../model/provider-table.ts";

/** The model of a provider when only its key is set: a capable one that is not its dearest. */
export const defaultModels: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.5",
  google: "gemini-pro-latest",
};
