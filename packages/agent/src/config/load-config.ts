import type { LoadedConfig } from "./config.ts";

/** Reads `config.json` in the user's directory. A missing one is empty; a broken one is a problem, never a throw. */
export declare function loadConfig(home: string): LoadedConfig;
