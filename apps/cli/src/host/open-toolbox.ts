import { setMaxListeners } from "node:events";
import type { ToolRules } from "@ikigai/agent/internal";
import { discover, type Registry, registryChanged } from "@ikigai/core";
import { beforeExit } from "@ikigai/system";
import type { Places } from "./places.ts";

/** The tools, as they are now. */
export interface Toolbox {
  /** Waits for the discovery that is under way; starts another one when something has changed. */
  current(): Promise<Registry>;
  /** Waits for the discovery that is under way. */
  last(): Promise<Registry>;
  /** Asks every tool again. */
  refresh(): Promise<Registry>;
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
  // Tools that are being asked for their schema end with us.
  beforeExit(() => {
    controller.abort();
    return pending;
  });
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
  };

  function look(fresh: boolean): Promise<Registry> {
    const sandboxFor = (name: string) => settingsFor(name).sandbox;
    const registry = discover({ directories, home, projectDir, env, fresh, signal, launchers, sandboxFor });
    // Whoever waits for it hears of it; when the process ends, nobody does.
    registry.catch(() => {});
    return registry;
  }
}
