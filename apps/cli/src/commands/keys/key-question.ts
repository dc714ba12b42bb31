import { type ModelError, type ProviderName, providerTable } from "@ikigai/agent/internal";

/** The prompt for a provider's key: a note on the answer in parentheses, then the way out, if there is another than Ctrl-C. */
export function keyQuestion(provider: ProviderName, note = "not shown", wayOut = ""): string {
  const title = provider === "openai-compatible" ? "the OpenAI-compatible server" : providerTable[provider].title;
  return `API key for ${title} (${note})${wayOut}: `;
}

/** Whether an error leaves open whether the key is right. */
export function isKeyUntested({ code }: ModelError): boolean {
  return ["network", "timeout", "unavailable", "rate_limited", "configuration", "not_a_model"].includes(code);
}

export const untestedQuestion = "The key was not tested. Store it anyway?";
