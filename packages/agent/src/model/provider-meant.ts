import type { ProviderName } from "./provider-table.ts";

/** What people and other programs call the providers: by their products, their models or another server. */
const otherNames: readonly (readonly [pattern: RegExp, provider: ProviderName])[] = [
  [/^(claude|sonnet|opus|haiku)/, "anthropic"],
  [/^(gpt(?!-oss)|chatgpt|codex$)/, "openai"],
  [/^(gemini|google|flash$)/, "google"],
  [/^(openrouter|groq|vllm|lm-?studio)$/, "openai-compatible"],
];

/** The provider that a word means that is not its name here: `claude` is `anthropic`. */
export function providerMeant(word: string): ProviderName | undefined {
  return otherNames.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1];
}
