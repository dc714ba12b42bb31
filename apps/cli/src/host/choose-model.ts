import { type Model, ModelError, type ResolveModelOptions, resolveModel } from "@ikigai/agent";
import type { Agent } from "./open-agent.ts";

/** The model to talk to, or one sentence that says why no model can be used. */
export async function chooseModel(
  { config, env, places }: Agent,
  wanted: string | undefined,
  offline: Pick<ResolveModelOptions, "offlineWithoutModel"> = {},
): Promise<{ readonly model: Model } | { readonly problem: string }> {
  try {
    return {
      model: await resolveModel({
        config,
        env,
        cwd: places.projectDir,
        ...offline,
        ...(wanted !== undefined && { wanted }),
      }),
    };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { problem: error.message };
  }
}
