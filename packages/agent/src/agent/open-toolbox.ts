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
import type { ToolRules } from "../config/tool-settings.ts";

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
export interface ToolboxOptions {
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
