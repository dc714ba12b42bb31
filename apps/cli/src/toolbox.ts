import { discover, type Registry, registryChanged } from "@ikigai/core";
import type { Places } from "./places.ts";

/** The tools, as they are now. */
export interface Toolbox {
  /** Waits for the discovery that is under way; starts another one when a directory has changed. */
  current(): Promise<Registry>;
  /** Asks every tool again. */
  refresh(): Promise<Registry>;
}

/** Starts to look for tools, and returns at once. */
export function openToolbox({ directories, home, projectDir }: Places, env: NodeJS.ProcessEnv): Toolbox {
  const look = (fresh: boolean) => discover({ directories, home, projectDir, env, fresh });
  let pending = look(false);
  return {
    async current() {
      if (registryChanged(await pending)) pending = look(false);
      return pending;
    },
    refresh() {
      pending = look(true);
      return pending;
    },
  };
}
