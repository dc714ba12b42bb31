import { findHooks, type HookFinder, type HookOptions, type TrustPlace } from "@ikigai/core/internal";
import { realPathOf } from "@ikigai/system";
import { type Guard, grantedFiles, keepGranted } from "./granted-guards.ts";
import type { Hooks } from "./hook-scene.ts";

/**
 * Opens the hooks of a user and a project. Looks at nothing until the first event.
 *
 * @param guards the projects of the agents above: what guards these also guards an agent that works in another directory.
 */
export function openHooks(
  place: TrustPlace,
  options: Pick<HookOptions, "env" | "sandbox">,
  guards: readonly Guard[] = [],
): Hooks {
  const { home, projectDir } = place;
  const finder = guards.length === 0 ? findHooks(place) : withGuards(place, guards);
  return { finder, options: { home, projectDir, ...options }, told: new Set(), sessions: new Map(), untold: [] };
}

/**
 * Finds the same hooks, and before a call those of other projects that the user trusts. What guarded an agent above when it started
 * this one is broken if it is not the same any more: this process has no approval of its own to compare it with.
 */
function withGuards(place: TrustPlace, guards: readonly Guard[]): HookFinder {
  const own = findHooks(place);
  const isOwn = ({ directory }: Guard) => realPathOf(directory) === realPathOf(place.projectDir);
  const others = guards
    .filter((guard) => !isOwn(guard))
    .map(({ directory }) => findHooks({ ...place, projectDir: directory }));
  const granted = guards.flatMap(({ hooks }) => hooks);
  const isSame = grantedFiles();
  return {
    ...own,
    async find(event) {
      const found = await own.find(event);
      if (event !== "before-call") return found;
      const guarding = (await Promise.all(others.map((guard) => guard.find(event)))).flatMap(({ hooks }) =>
        hooks.filter(({ scope }) => scope === "project"),
      );
      return keepGranted({ ...found, hooks: [...found.hooks, ...guarding] }, granted, isSame);
    },
    isEmpty: () => granted.length === 0 && [own, ...others].every((finder) => finder.isEmpty()),
  };
}
