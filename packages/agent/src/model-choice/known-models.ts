import type { Config } from "../config/config.ts";
import type { ProviderName } from "../model/provider-table.ts";
import type { Environment } from "../providers/provider-access.ts";
import { type ModelFacts, modelFacts } from "./model-facts.ts";

/** Facts about the models in use. */
export interface KnownModels {
  /** Returns the facts known so far. The first call starts the lookup, without waiting for it. */
  of(id: string): ModelFacts | undefined;
  /** Waits for the lookup. */
  lookUp(id: string): Promise<ModelFacts>;
  /** Reports that the model has answered: a server that loads models on demand may know its context window now. */
  answered(id: string): void;
}

/**
 * How often a model is looked up again while its window is unknown. Ollama knows after the first response; many servers
 * never do.
 */
const maxRepeats = 3;

export function knownModels(config: Config, env: Environment): KnownModels {
  const pending = new Map<string, Promise<ModelFacts>>();
  const known = new Map<string, ModelFacts>();
  const repeats = new Map<string, number>();
  const lookUp = (id: string) => {
    const found = pending.get(id) ?? modelFacts(id, config, env);
    pending.set(id, found);
    void found.then((facts) => known.set(id, facts));
    return found;
  };
  return {
    of(id) {
      if (!pending.has(id)) void lookUp(id);
      return known.get(id);
    },
    lookUp,
    answered(id) {
      const facts = known.get(id);
      const repeat = repeats.get(id) ?? 0;
      if (!facts || facts.contextWindow !== undefined || repeat >= maxRepeats) return;
      repeats.set(id, repeat + 1);
      pending.delete(id);
      void lookUp(id);
    },
  };
}

/** The model to use when only a provider's key is set: a capable one, but not the most expensive. */
export const defaultModels: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.5",
  google: "gemini-pro-latest",
};
