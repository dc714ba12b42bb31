import type { Config } from "../config/config.ts";
import type { Model } from "./model.ts";

export interface ResolveModelOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the user asked for on the command line; stands before the configuration. */
  readonly wanted?: string;
}

/**
 * The model to talk to: the wanted one, else the configured one, else that of the first provider with a key, else a local
 * Ollama, else `offline`. Loads the code of one provider only.
 *
 * @throws ModelError `configuration` when the wanted or configured model cannot be used.
 */
export declare function resolveModel(options: ResolveModelOptions): Promise<Model>;
