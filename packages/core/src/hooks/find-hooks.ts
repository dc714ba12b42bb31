import { join, resolve } from "node:path";
import { realPathOf } from "@ikigai/system";
import type { TrustStatus } from "../registry/registry.ts";
import { firstChange, type Stamps, stampAt } from "../registry/stamps.ts";
import type { TrustPlace } from "../trust/project-roots.ts";
import { type ExaminedProject, examineProject } from "../trust/project-trust.ts";
import { trustFile } from "../trust/trust-store.ts";
import type { Hook } from "./hook.ts";
import { type HookEvent, hookEventNames } from "./hook-events.ts";
import { type HookDirectory, listHooks, misplacedHooks } from "./list-hooks.ts";

/** The hooks of an event. */
export interface FoundHooks {
  /** In the order in which they are run: the user's, then the project's. */
  readonly hooks: readonly Hook[];
  /** The project's hooks that are not run, because the user has not approved them. */
  readonly untrusted: readonly Hook[];
  /** Why: the project's status. */
  readonly trust: TrustStatus;
  /** Why the user cannot approve it, and what to do, if they cannot. */
  readonly trustProblem?: string;
}

/** Finds hooks. Without any, this costs two directory lookups. */
export interface HookFinder {
  /** Finds the hooks of an event as they are now. Runs nothing; never rejects. */
  find(event: HookEvent): Promise<FoundHooks>;
  /** Whether there are certainly no hooks. Costs two looks at a directory. */
  isEmpty(): boolean;
  /** Returns what is in a place where it is never run, one sentence each: the user's, and what is in a trusted project or in any. */
  misplaced(projects: "trusted" | "all"): Promise<readonly string[]>;
}

/** Returns the directories with hooks: the user's, and the project's unless it is the same one. */
export function hookDirectories({ home, projectDir }: TrustPlace): readonly HookDirectory[] {
  const user: HookDirectory = { path: join(resolve(home), "hooks"), scope: "user" };
  const own = join(realPathOf(projectDir), ".ikigai");
  return realPathOf(own) === realPathOf(home)
    ? [user]
    : [user, { path: join(own, "hooks"), scope: "project", projectDir }];
}

/**
 * Finds the hooks of a user and a project.
 *
 * The user's are listed again for every event. The project's are those that the user has approved, by the same decision as its
 * tools. Once approved, a hook that changes or disappears stays in the list with a `problem`: a guard must not go away because
 * a call has removed it.
 */
export function findHooks(place: TrustPlace): HookFinder {
  const [user, project] = hookDirectories(place);
  let known: { readonly project: ExaminedProject; readonly seen: Stamps } | undefined;
  const approved = new Map<string, Hook>();
  const examine = async (directory: HookDirectory) => {
    const paths = [trustFile(place.home), join(directory.path, ".."), directory.path];
    const before = paths.map((path) => [path, stampAt(path)] as const);
    const examined = await examineProject(place);
    const { status, problem } = examined.report;
    // The user has revoked the approval.
    if (status === "untrusted" && problem === undefined) approved.clear();
    if (status === "trusted") {
      const hooks = hookEventNames.flatMap((event) => listHooks(directory, event));
      approved.clear();
      for (const hook of hooks) approved.set(hook.name, covered(hook, examined));
    }
    return { project: examined, seen: new Map([...before, ...examined.places, ...examined.files]) };
  };
  const statusOf = async (directory: HookDirectory): Promise<TrustStatus> => {
    if (!known && !isThere(directory.path)) return "nothing";
    if (!known || firstChange(known.seen) !== undefined) known = await examine(directory);
    return known.project.report.status;
  };
  const projectHooks = async (directory: HookDirectory, event: HookEvent): Promise<FoundHooks> => {
    const status = await statusOf(directory);
    if (!known) return none;
    const hooks = [...approved.values()].filter((hook) => hook.event === event);
    if (status === "trusted") return { hooks, untrusted: [], trust: status };
    const untrusted = listHooks(directory, event).filter(({ name }) => !approved.has(name));
    const { problem } = known.project.report;
    return {
      hooks: hooks.map((hook) => ({ ...hook, problem: problem ?? noLongerTrusted })),
      untrusted,
      trust: status,
      ...(problem !== undefined && { trustProblem: problem }),
    };
  };
  return {
    async find(event) {
      const own = user ? listHooks(user, event) : [];
      if (!project) return { ...none, hooks: own };
      const found = await projectHooks(project, event);
      return { ...found, hooks: [...own, ...found.hooks] };
    },
    isEmpty: () => !known && ![user, project].some((place) => place && isThere(place.path)),
    async misplaced(projects) {
      const isShown = project && (projects === "all" || (await statusOf(project)) === "trusted");
      return [user, isShown ? project : undefined].flatMap((directory) => (directory ? misplacedHooks(directory) : []));
    },
  };
}

/** Whether something has this name; if that cannot be determined, too. */
function isThere(path: string): boolean {
  return stampAt(path) !== "missing";
}

const none: FoundHooks = { hooks: [], untrusted: [], trust: "nothing" };

const noLongerTrusted = "the project's files have changed since you trusted them; review them and run: ikigai trust";

/** A hook of a trusted project, as it was approved. */
function covered(hook: Hook, { files }: ExaminedProject): Hook {
  // A hook in a linked directory may have been hashed under another name.
  if (files.get(hook.path) === stampAt(hook.path)) return { ...hook, trusted: files };
  return { problem: "your approval does not cover it; replace the linked directory with files", ...hook };
}
