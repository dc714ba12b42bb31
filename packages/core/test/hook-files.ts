import { join } from "node:path";
import type { TreeEntry } from "@ikigai/testing";
import type { Hook, HookOptions } from "../src/hooks.ts";
import { type World, world } from "./world.ts";

/** An executable shell script. */
export function hookScript(...lines: readonly string[]): TreeEntry {
  return { content: `#!/bin/sh\n${lines.join("\n")}\n`, mode: 0o755 };
}

/** A world with hooks of the user (`home/hooks/`) and of the project (`project/.ikigai/hooks/`). */
export async function hookWorld(
  user: Record<string, TreeEntry>,
  project: Record<string, TreeEntry> = {},
): Promise<World & { readonly userHooks: string; readonly projectHooks: string }> {
  const below = (directory: string, files: Record<string, TreeEntry>) =>
    Object.entries(files).map(([name, content]) => [`${directory}/${name}`, content] as const);
  const files = [...below("home/hooks", user), ...below("project/.ikigai/hooks", project)];
  const made = await world(Object.fromEntries(files));
  return {
    ...made,
    userHooks: join(made.home, "hooks"),
    projectHooks: join(made.projectDir, ".ikigai/hooks"),
  };
}

export function hookOptions({ home, projectDir }: World, more: Partial<HookOptions> = {}): HookOptions {
  return { home, projectDir, sessionId: "s1", env: process.env, ...more };
}

export function namesOf(hooks: readonly Hook[]): string[] {
  return hooks.map(({ name }) => name);
}
