import { type ProviderName, providerTable } from "../model/provider-table.ts";

interface Server {
  readonly provider: ProviderName;
  readonly isOllama?: boolean;
  /** A valid URL. */
  readonly baseUrl: string;
}

/** The name that people know the server by: the provider's, or the address that they have set. Never a password. */
export function serverTitle({ provider, isOllama = false, baseUrl }: Server): string {
  if (provider !== "openai-compatible") return providerTable[provider].title;
  const { origin } = new URL(baseUrl);
  return isOllama ? `Ollama at ${origin}` : `The server at ${origin}`;
}
