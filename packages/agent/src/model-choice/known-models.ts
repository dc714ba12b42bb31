import type { Config } from "../config/config.ts";
import type { Environment } from "../providers/provider-access.ts";
import { type ModelFacts, modelFacts } from "./model-facts.ts";

/** What is known of the models in use. */
export interface KnownModels {
  /** As far as it is known by now: the first time somebody asks, it is looked up, and nobody waits for that. */
  of(id: string): ModelFacts | undefined;
  /** Waits for it. */
  lookUp(id: string): Promise<ModelFacts>;
  /** The model has answered: a server that had not loaded it before can now tell how much it reads. */
  answered(id: string): void;
}

/** How often a model is looked up again while its window is unknown. Ollama knows after the first answer; many never do. */
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
