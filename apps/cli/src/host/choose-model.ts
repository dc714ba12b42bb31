import { configPath, type Model, ModelError, modelChoice, resolveModel, setupText } from "@ikigai/agent/internal";
import type { IkigaiError } from "@ikigai/core/ikigai-error";
import { UsageError } from "../args/usage-error.ts";
import type { Agent } from "./open-agent.ts";

interface ChooseModelOptions {
  /**
   * Whether the offline interpreter answers when no model is set up. Only for interactive use, where ikigai asks before anything
   * runs: the interpreter takes English for commands.
   */
  readonly offlineWithoutModel?: boolean;
}

/** Chooses the model, or says why none can be used: `UsageError` if `wanted` cannot be the name of one. */
export async function chooseModel(
  { config, env, places }: Agent,
  wanted: string | undefined,
  { offlineWithoutModel = false }: ChooseModelOptions = {},
): Promise<{ readonly model: Model } | { readonly error: IkigaiError }> {
  const own = ownModels(places.projectDir);
  const fallback = offlineWithoutModel ? own.offline : noModel;
  try {
    return {
      model: await resolveModel({ config, env, ownModels: own, fallback, ...(wanted !== undefined && { wanted }) }),
    };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (wanted !== undefined && !isModelName(wanted, { config, env, ownModels: own }))
      return { error: new UsageError(error.message) };
    return { error: wanted === undefined && config.model !== undefined ? withPlace(error, places) : error };
  }
}

function isModelName(wanted: string, options: Parameters<typeof modelChoice>[0]): boolean {
  try {
    modelChoice({ ...options, wanted });
    return true;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return false;
  }
}

/** Says where the model that cannot be used is set. */
function withPlace(error: ModelError, places: Agent["places"]): ModelError {
  if (error.code !== "configuration") return error;
  return new ModelError(
    "configuration",
    `${error.message}\nThe model is set in ${configPath(places.home)}. To choose another: ikigai setup`,
  );
}

async function noModel(): Promise<never> {
  throw new ModelError("configuration", noModelText);
}

const noModelText = `No model is set up. ${setupText}
To run simple commands without a language model: --model offline`;

/** The command's own models, by name. Paths in simple commands are relative to `cwd`. */
export function ownModels(cwd: string): Readonly<Record<"offline", () => Promise<Model>>> {
  return { offline: async () => (await import("./offline/offline-model.ts")).offlineModel(cwd) };
}
