// What tools are run with: where they are, the configuration, the keys, the rules and the network. The commands that call tools without a
// conversation use it as it is; `openAgent` adds the conversation.

import { setMaxListeners } from "node:events";
import {
  type Catalog,
  discover,
  type RegisteredTool,
  type Registry,
  registryChanged,
  type ToolDirectory,
} from "@ikigai/core";
import { catalogOf } from "@ikigai/core/internal";
import { type PatienceConfig, secretsOf } from "@ikigai/models";
import type { Permission } from "@ikigai/permission";
import { type Config, renderConfigProblem } from "../config/config.ts";
import { loadConfig, savedRules } from "../config/read-config.ts";
import { storedKeys } from "../config/stored-keys.ts";
import { type SandboxFlags, type ToolRules, toolRules } from "../config/tool-settings.ts";
import { type NetworkOfSession, openNetwork } from "./session-sandbox.ts";

/** The directories that an agent uses. */
export interface Places {
  /** The user's ikigai directory: `IKIGAI_HOME`, else `~/.ikigai`. */
  readonly home: string;
  /** The home directory, which `~` in the configuration means. */
  readonly userHome: string;
  /** The working directory. */
  readonly projectDir: string;
  /** All tool directories, those with the lowest precedence first. */
  readonly directories: readonly ToolDirectory[];
}

/** The current tools. */
export interface Toolbox {
  /** Waits for the running discovery; starts another one if anything has changed. */
  current(): Promise<Registry>;
  /** Waits for the running discovery. */
  last(): Promise<Registry>;
  /** Queries every tool again. */
  refresh(): Promise<Registry>;
  /** Returns the list of the tools and skills of the last discovery that has ended. */
  catalog(): Catalog | undefined;
  /** Ends the tools that are being queried for their schema. Afterwards the toolbox is empty. */
  close(): Promise<void>;
}

/** How a toolbox is used. */
interface ToolboxOptions {
  /** Called with the result of each discovery, which is used when the promise settles. */
  readonly found?: (registry: Registry) => Promise<void> | undefined;
  /** Whether a tool is part of the toolbox. Default: all are. */
  readonly isOffered?: (tool: RegisteredTool) => boolean;
}

/** Starts tool discovery and returns immediately. */
export function openToolbox(
  { directories, home, userHome, projectDir }: Places,
  env: NodeJS.ProcessEnv,
  { launchers, shells, settingsFor }: ToolRules,
  { found: whenFound = () => undefined, isOffered = () => true }: ToolboxOptions = {},
): Toolbox {
  const controller = new AbortController();
  const { signal } = controller;
  // Every queried tool listens, and two discoveries may overlap: not a leak, although there are more than Node's ten.
  setMaxListeners(0, signal);
  let last: Registry | undefined;
  let pending = look(false);
  return {
    async current() {
      if (registryChanged(await pending)) pending = look(false);
      return pending;
    },
    last: () => pending,
    refresh() {
      pending = look(true);
      return pending;
    },
    catalog: () => (last ? catalogOf(last, home) : undefined),
    async close() {
      controller.abort();
      await pending.catch(() => {});
    },
  };

  function look(fresh: boolean): Promise<Registry> {
    const sandboxFor = (name: string) => settingsFor(name).sandbox;
    const places = { directories, home, userHome, projectDir };
    const found = discover({ ...places, env, fresh, signal, launchers, shells, sandboxFor });
    const registry = found.then(async (all) => {
      const offered = { ...all, tools: all.tools.filter(isOffered) };
      await whenFound(offered);
      return offered;
    });
    // Callers that await it get the error; at process exit no one does.
    const ended = (one: Registry) => {
      last = one;
    };
    registry.then(ended, () => {});
    return registry;
  }
}

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
interface ToolSetup {
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
