/** The usage of a request, in tokens; 0 if the provider does not report it. */
export interface Usage {
  /** All tokens sent, including the cached ones. */
  readonly inputTokens: number;
  /** All tokens received, including reasoning. */
  readonly outputTokens: number;
  /** Tokens sent that the provider read from its cache. */
  readonly cacheReadTokens: number;
  /** Tokens sent that the provider wrote to its cache. */
  readonly cacheWriteTokens: number;
}

/** Zero usage. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Returns the sum of both. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/**
 * Returns how much of a budget in tokens was used. Tokens read from the cache count a tenth, which is about what they cost.
 */
export function budgetTokens({ inputTokens, outputTokens, cacheReadTokens }: Usage): number {
  const cached = Math.min(Math.max(cacheReadTokens, 0), inputTokens);
  return inputTokens - cached + Math.ceil(cached / 10) + outputTokens;
}

/**
 * Returns the size of a conversation as counted by the provider with the last response; `undefined` if it does not count.
 */
export function measureOf({ inputTokens, outputTokens }: Usage, messages: number): Measure | undefined {
  return inputTokens > 0 ? { tokens: inputTokens + outputTokens, messages } : undefined;
}

export interface Measure {
  readonly tokens: number;
  /** The number of messages counted. */
  readonly messages: number;
}
