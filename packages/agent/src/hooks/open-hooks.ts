import { findHooks, type HookFinder, type HookOptions, type TrustPlace } from "@ikigai/core/internal";
import { realPathOf } from "@ikigai/system";
import type { Hooks } from "./hook-scene.ts";

/**
 * Opens the hooks of a user and a project. Looks at nothing until the first event.
 *
 * @param guards the projects of the agents above: what guards these also guards an agent that works in another directory.
 */
export function openHooks(
  place: TrustPlace,
  options: Pick<HookOptions, "env" | "sandbox">,
  guards: readonly string[] = [],
): Hooks {
  const { home, projectDir } = place;
  const others = guards.filter((directory) => realPathOf(directory) !== realPathOf(projectDir));
  const finder = withGuards(
    findHooks(place),
    others.map((directory) => findHooks({ ...place, projectDir: directory })),
  );
  return { finder, options: { home, projectDir, ...options }, told: new Set(), sessions: new Map() };
}

/** The same hooks, and before a call those of other projects that the user trusts. */
function withGuards(own: HookFinder, guards: readonly HookFinder[]): HookFinder {
  if (guards.length === 0) return own;
  return {
    ...own,
    async find(event) {
      const found = await own.find(event);
      if (event !== "before-call") return found;
      const others = await Promise.all(guards.map((guard) => guard.find(event)));
      const guarding = others.flatMap(({ hooks }) => hooks.filter(({ scope }) => scope === "project"));
      return { ...found, hooks: [...found.hooks, ...guarding] };
    },
    isEmpty: () => [own, ...guards].every((finder) => finder.isEmpty()),
  };
}
