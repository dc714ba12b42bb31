import { type Config, ModelError, type ProviderName } from "@ikigai/agent/internal";
import { accessTo, listProviderModels } from "@ikigai/agent/setup";

/** Tests a key with the cheapest request that needs one; returns what is wrong with it, or with the way to the provider. */
export async function checkKey(
  provider: ProviderName,
  apiKey: string,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<ModelError | undefined> {
  try {
    const { baseUrl } = accessTo(provider, config, env);
    await listProviderModels(provider, { access: { apiKey, baseUrl }, config, env });
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
}
