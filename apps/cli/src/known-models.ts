import { type Config, type ModelFacts, modelFacts } from "@ikigai/agent";

/** What is known of the models in use. */
export interface KnownModels {
  /** As far as it is known by now: the first time somebody asks, it is looked up, and nobody waits for that. */
  of(id: string): ModelFacts | undefined;
  /** Waits for it. */
  lookUp(id: string): Promise<ModelFacts>;
}

export function knownModels(config: Config, env: NodeJS.ProcessEnv): KnownModels {
  const pending = new Map<string, Promise<ModelFacts>>();
  const known = new Map<string, ModelFacts>();
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
  };
}
