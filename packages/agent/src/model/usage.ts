/** What a request cost, in tokens; 0 where the provider does not say. */
export interface Usage {
  /** Everything that was sent, the cached part included. */
  readonly inputTokens: number;
  /** Everything that came back, the reasoning included. */
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Of nothing. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Of both together. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/** How long a conversation is, as the provider counted it with the last answer; `undefined` where it does not count. */
export function measureOf({ inputTokens, outputTokens }: Usage, messages: number): Measure | undefined {
  return inputTokens > 0 ? { tokens: inputTokens + outputTokens, messages } : undefined;
}

export interface Measure {
  readonly tokens: number;
  /** How many messages that were. */
  readonly messages: number;
}
