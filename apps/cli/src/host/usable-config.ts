import { ConfigError, type LoadedConfig, loadConfig } from "@ikigai/agent/internal";
import { StartError } from "./start-error.ts";

/**
 * The configuration, for every command that runs a tool or a model.
 *
 * @throws StartError when it cannot be used.
 */
export function usableConfig(home: string): LoadedConfig {
  try {
    return loadConfig(home);
  } catch (error) {
    if (error instanceof ConfigError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}
