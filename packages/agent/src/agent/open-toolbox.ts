import { setMaxListeners } from "node:events";
import { discover, type Registry, registryChanged } from "@ikigai/core";
import type { ToolDirectory } from "@ikigai/core/internal";
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
  /** Ends the tools that are being queried for their schema. Afterwards the toolbox is empty. */
  close(): Promise<void>;
}

/** Starts tool discovery and returns immediately. @param found called with the result of each discovery. */
export function openToolbox(
  { directories, home, projectDir }: Places,
  env: NodeJS.ProcessEnv,
  { launchers, settingsFor }: ToolRules,
  found: (registry: Registry) => void = () => {},
): Toolbox {
  const controller = new AbortController();
  const { signal } = controller;
  // Every queried tool listens, and two discoveries may overlap: not a leak, although there are more than Node's ten.
  setMaxListeners(0, signal);
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
    async close() {
      controller.abort();
      await pending.catch(() => {});
    },
  };

  function look(fresh: boolean): Promise<Registry> {
    const sandboxFor = (name: string) => settingsFor(name).sandbox;
    const registry = discover({ directories, home, projectDir, env, fresh, signal, launchers, sandboxFor });
    // Callers that await it get the error; at process exit no one does.
    registry.then(found, () => {});
    return registry;
  }
}
