// What tools are run with: the configuration, the keys, the rules and the network. The commands that call tools without a conversation
// use it as it is; `openAgent` adds the conversation.

import { type PatienceConfig, secretsOf } from "@ikigai/models";
import type { Permission } from "@ikigai/permission";
import type { Config } from "../config/config.ts";
import { renderConfigProblem } from "../config/config-error.ts";
import { loadConfig, savedRules } from "../config/load-config.ts";
import { storedKeys } from "../config/stored-keys.ts";
import { type SandboxFlags, type ToolRules, toolRules } from "../config/tool-settings.ts";
import type { Places } from "./open-toolbox.ts";
import { type NetworkOfSession, openNetwork } from "./session-network.ts";

/** Where tools run, and what takes precedence over the configuration. */
export interface ToolPlace {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  /** What the command line says about the sandbox. */
  readonly flags?: SandboxFlags | undefined;
  /** A directory that the sandbox shows as well. */
  readonly readable?: string | undefined;
  readonly patience?: PatienceConfig | undefined;
  /** Strings to hide in addition to the known keys. */
  readonly secrets?: readonly string[] | undefined;
  /** Used instead of the user's `config.json`. */
  readonly config?: Config;
}

/** What tools are run with. */
export interface ToolSetup {
  /** With the stored keys. */
  readonly config: Config;
  /** What the user should know about it, one sentence each. */
  readonly problems: readonly string[];
  /** Keys that must not be shown or written. */
  readonly secrets: string[];
  readonly rules: ToolRules;
  /** The configured permission, with the rules saved for the project. */
  readonly permission: Permission;
  /** Opens the network for calls without a conversation: its door asks the rules about hosts. Its own rules join it. */
  openNetwork(): NetworkOfSession;
}

/** @throws ConfigError as `loadConfig` does. */
export function toolSetup({ places, env, config: given, ...options }: ToolPlace): ToolSetup {
  const { home, projectDir } = places;
  const loaded = given ? { config: given, problems: [] } : loadConfig(home);
  const keys = given?.storedKeys ?? storedKeys({ ...places, env });
  const patience = options.patience && { patience: { ...loaded.config.patience, ...options.patience } };
  const config: Config = { ...loaded.config, ...patience, storedKeys: keys };
  const secrets = secretsOf(config, env);
  secrets.push(...(options.secrets ?? []));
  const rules = toolRules(withReadable(config, options.readable), places, options.flags);
  const { mode = "ask", rules: configured, ...others } = config.permission ?? {};
  const permission: Permission = { ...others, mode, rules: savedRules(places, configured), projectDir, home };
  return {
    ...{ config, secrets, rules, permission },
    problems: [...loaded.problems.map(renderConfigProblem), ...(keys.problem === undefined ? [] : [keys.problem])],
    openNetwork: () => openNetwork(rules, permission, { env, allowAdvice: (rule) => `the rule ${rule}` }),
  };
}

function withReadable(config: Config, directory: string | undefined): Config {
  if (directory === undefined) return config;
  const { sandbox = {} } = config;
  return { ...config, sandbox: { ...sandbox, readable: [...(sandbox.readable ?? []), directory] } };
}
