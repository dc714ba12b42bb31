import { findHooks, type HookOptions, type TrustPlace } from "@ikigai/core/internal";
import type { Hooks } from "./hook-scene.ts";

/** The hooks of a user and a project. Looks at nothing until the first event. */
export function openHooks(place: TrustPlace, options: Pick<HookOptions, "env" | "sandbox">): Hooks {
  const { home, projectDir } = place;
  return { finder: findHooks(place), options: { home, projectDir, ...options }, told: new Set(), sessions: new Map() };
}
