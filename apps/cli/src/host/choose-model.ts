import { type Model, ModelError, resolveModel, setupText } from "@ikigai/agent/internal";
import type { Agent } from "./open-agent.ts";

interface ChooseModelOptions {
  /**
   * Whether the offline interpreter answers when no model is set up. Only for a person who sees that and is asked before
   * anything runs: it takes English for commands.
   */
  readonly offlineWithoutModel?: boolean;
}

/** The model to talk to, or why no model can be used. */
export async function chooseModel(
  { config, env, places }: Agent,
  wanted: string | undefined,
  { offlineWithoutModel = false }: ChooseModelOptions = {},
): Promise<{ readonly model: Model } | { readonly error: ModelError }> {
  const own = ownModels(places.projectDir);
  const fallback = offlineWithoutModel ? own.offline : noModel;
  try {
    return {
      model: await resolveModel({ config, env, ownModels: own, fallback, ...(wanted !== undefined && { wanted }) }),
    };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { error };
  }
}

async function noModel(): Promise<never> {
  throw new ModelError("configuration", noModelText);
}

const noModelText = `No model is set up. ${setupText}
To run plain requests without a language model: --model offline`;

/** The command's own models, by name. Places in plain requests are looked up from `cwd`. */
export function ownModels(cwd: string): Readonly<Record<"offline", () => Promise<Model>>> {
  return { offline: async () => (await import("./offline/offline-model.ts")).offlineModel(cwd) };
}
