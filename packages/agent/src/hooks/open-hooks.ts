// The hooks of a conversation: the user's and the project's, and in an agent also the guards of the projects above it. Then what a
// new agent is granted of them: a guard that is gone or different there counts as broken.

import { createHash } from "node:crypto";
import type { TrustPlace } from "@ikigai/core";
import { type FoundHooks, findHooks, type Hook, type HookFinder, type HookOptions } from "@ikigai/core/hooks";
import { stampAt } from "@ikigai/core/trust";
import { readRegularFile, realPathOf } from "@ikigai/system";
import type { Hooks } from "./run-hooks.ts";

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

/** A guard that an agent gets: a project's hook as the user has approved it. */
export interface GrantedHook extends Pick<Hook, "name" | "tool" | "path"> {
  /** The SHA-256 of its file. */
  readonly sha256: string;
}

/** A project whose guards count for an agent, too. */
export interface Guard {
  /** The project's directory. */
  readonly directory: string;
  /** Its guards, as they were when the agent was started. */
  readonly hooks: readonly GrantedHook[];
}

/**
 * Returns the projects' guards of this conversation for an agent that it starts, or one that is broken: the agent would look for
 * guards again, and find none there.
 */
export async function guardsToGrant(
  finder: HookFinder | undefined,
): Promise<{ readonly hooks: readonly GrantedHook[] } | { readonly broken: Hook; readonly problem: string }> {
  const [before = [], prompt = []] = await Promise.all(
    (["before-call", "prompt"] as const).map(async (event) => (await finder?.find(event))?.hooks),
  );
  const granted: GrantedHook[] = [];
  for (const hook of [...before, ...prompt]) {
    if (hook.scope !== "project") continue;
    const { name, tool, path, event } = hook;
    const sha256 = hashOf(path);
    // After the content has been read.
    const problem = finder?.whyBroken(hook) ?? (sha256 === undefined ? "it cannot be read" : undefined);
    if (problem !== undefined) return { broken: hook, problem };
    if (event === "before-call" && sha256 !== undefined) granted.push({ name, path, sha256, ...(tool && { tool }) });
  }
  return { hooks: granted };
}

/** Adds to the hooks that an agent has found those that it was granted and that are gone or different now: as broken ones. */
export function keepGranted(found: FoundHooks, granted: readonly GrantedHook[], isSame: SameFile): FoundHooks {
  const lost = granted.filter((guard) => {
    const own = found.hooks.find(({ path }) => path === guard.path);
    return own?.problem === undefined && !(own && isSame(guard));
  });
  if (lost.length === 0) return found;
  const paths = new Set(lost.map(({ path }) => path));
  const broken = lost.map(
    ({ sha256: _, ...guard }): Hook => ({ ...guard, event: "before-call", scope: "project", problem: isLost }),
  );
  return { ...found, hooks: [...found.hooks.filter(({ path }) => !paths.has(path)), ...broken] };
}

const isLost = "it has changed or is gone since this agent was started";

/** Whether a file has the content that was granted. */
export type SameFile = (guard: GrantedHook) => boolean;

/** Compares files with what was granted; reads a file again only if it has changed. */
export function grantedFiles(): SameFile {
  const known = new Map<string, { readonly stamp: string; readonly sha256: string | undefined }>();
  return ({ path, sha256 }) => {
    const stamp = stampAt(path);
    const last = known.get(path);
    const now = last?.stamp === stamp ? last : { stamp, sha256: hashOf(path) };
    known.set(path, now);
    return now.sha256 === sha256;
  };
}

function hashOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readRegularFile(path)).digest("hex");
  } catch {
    return undefined;
  }
}
