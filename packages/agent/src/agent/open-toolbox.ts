import { setMaxListeners } from "node:events";
import { discover, type Registry, registryChanged } from "@ikigai/core";
import type { ToolDirectory } from "@ikigai/core/internal";
import type { ToolRules } from "../config/tool-settings.ts";

/** The directories everything is found in. */
export interface Places {
  /** The user's own directory: `~/.ikigai`, or what `IKIGAI_HOME` says. */
  readonly home: string;
  /** The home directory, which `~` in the configuration stands for. */
  readonly userHome: string;
  /** The directory that is worked in. */
  readonly projectDir: string;
  /** All directories of tools, the farthest first. */
  readonly directories: readonly ToolDirectory[];
}

/** The tools, as they are now. */
export interface Toolbox {
  /** Waits for the discovery that is under way; starts another one when something has changed. */
  current(): Promise<Registry>;
  /** Waits for the discovery that is under way. */
  last(): Promise<Registry>;
  /** Asks every tool again. */
  refresh(): Promise<Registry>;
  /** Ends the tools that are being asked for their schema. Afterwards there are no tools any more. */
  close(): Promise<void>;
}

/** Starts to look for tools, and returns at once. */
export function openToolbox(
  { directories, home, projectDir }: Places,
  env: NodeJS.ProcessEnv,
  { launchers, settingsFor }: ToolRules,
): Toolbox {
  const controller = new AbortController();
  const { signal } = controller;
  // Every tool that is being asked listens, and two discoveries may be under way: no leak, whatever Node thinks of ten.
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
    // Whoever waits for it hears of it; when the process ends, nobody does.
    registry.catch(() => {});
    return registry;
  }
}
