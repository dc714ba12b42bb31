import { type ProviderName, providerNames, providerTable } from "./provider-table.ts";

/** A model as the user names it. Without `model` it is the provider's default. */
export interface ModelName {
  readonly provider: ProviderName;
  readonly model?: string;
  /** The server is the user's Ollama, whether or not it is running, and never the configured one. */
  readonly isOllama?: true;
}

/**
 * Parses `provider/model`, a provider alone, or a model alone if its name identifies the provider. Model names may contain
 * slashes. `undefined` if the provider is unknown, or nothing follows its slash.
 */
export function parseModelName(text: string): ModelName | undefined {
  const [head = "", ...rest] = text.trim().split("/");
  const model = rest.join("/");
  if (rest.length > 0 && model === "") return undefined;
  if (head === "ollama") return { provider: "openai-compatible", ...(model && { model }), isOllama: true };
  const provider = providerNames.find((name) => name === head);
  if (provider) return { provider, ...(model && { model }) };
  const owner = providerNames.find((name) => providerTable[name].modelPattern?.test(text.trim()));
  return owner && { provider: owner, model: text.trim() };
}
