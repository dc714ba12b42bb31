// Finds hooks. In order: the finder, which keeps what was approved of a project, the hooks of one event, and what is in places where
// nothing is run. What is meant to guard is never skipped silently.

import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isProgram, realPathOf, statsOf, systemReason, whyNoProgram, writerProblem } from "@ikigai/system";
import { addedPackages } from "../registry/added-packages.ts";
import type { TrustStatus } from "../registry/registry.ts";
import { firstChange, type Stamps, stampAt } from "../registry/stamps.ts";
import type { TrustPlace } from "../trust/project-files.ts";
import { type ExaminedProject, examineProject, trustFile } from "../trust/trust.ts";
import {
  eventAdvice,
  type Hook,
  type HookEvent,
  hookEventNames,
  hookEvents,
  isHookEvent,
  printable,
  whyBroken,
} from "./hook.ts";

/** The hooks of an event. */
export interface FoundHooks {
  /** In the order in which they are run: the user's, those of added packages, then the project's. */
  readonly hooks: readonly Hook[];
  /** The project's hooks that are not run, because the user has not approved them. */
  readonly untrusted: readonly Hook[];
  /** Why: the project's status. */
  readonly trust: TrustStatus;
  /** Why the user cannot approve it, and what to do, if they cannot. */
  readonly trustProblem?: string;
}

/** Finds hooks. Without any, this costs three lookups. */
export interface HookFinder {
  /** Finds the hooks of an event as they are now. Runs nothing; never rejects. */
  find(event: HookEvent): Promise<FoundHooks>;
  /** Whether there are certainly no hooks. Costs a look at three places. */
  isEmpty(): boolean;
  /** Returns why a hook cannot be run, before it is: the end of a sentence. */
  whyBroken(hook: Hook): string | undefined;
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

/** Returns the directories with hooks that added packages have brought. They are the user's. */
function broughtHooks(home: string): readonly HookDirectory[] {
  return addedPackages(home).map(({ folder, problem }) => {
    return { path: join(folder, "hooks"), scope: "user", ...(problem !== undefined && { problem }) };
  });
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
  const usersDirectories = () => [...(user ? [user] : []), ...broughtHooks(place.home)];
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
      const own = usersDirectories().flatMap((directory) => listHooks(directory, event));
      if (!project) return { ...none, hooks: own };
      const found = await projectHooks(project, event);
      return { ...found, hooks: [...own, ...found.hooks] };
    },
    isEmpty: () => !known && ![...usersDirectories(), project].some((place) => place && isThere(place.path)),
    whyBroken,
    async misplaced(projects) {
      const isShown = project && (projects === "all" || (await statusOf(project)) === "trusted");
      return [...usersDirectories(), ...(isShown ? [project] : [])].flatMap(misplacedHooks);
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

/** A directory with a directory for each event. */
interface HookDirectory {
  readonly path: string;
  readonly scope: Hook["scope"];
  /** The project, for its own directory. */
  readonly projectDir?: string;
  /** Why none of its hooks can be run: the end of a sentence. */
  readonly problem?: string;
}

/** How many places are reported that are never run: the directory may be a stranger's. */
const maxMisplaced = 10;

/** More files than any user has for an event: a clone may link to a large directory. */
const maxEntries = 1_000;

/** Files that explain a directory. They are hooks only if they are executable. */
const explaining = /^README$|\.md$/;

/**
 * Lists the hooks of an event, by the bytes of their paths. Opens and runs none.
 *
 * Everything that may be meant as a hook is listed, with a `problem` if it cannot be run: what is meant to guard must not be
 * skipped silently. A directory that cannot be read, or has too many files, counts as such a hook.
 */
export function listHooks(root: HookDirectory, event: HookEvent): readonly Hook[] {
  const hooks: Hook[] = [];
  let seen = 0;
  for (const found of entriesOfEvent(root, event)) {
    if (++seen > maxEntries)
      return [broken(root, event, { name: event, problem: `it has more than ${maxEntries} files` })];
    if (found === "directory") continue;
    if (found.problem !== undefined) hooks.push(broken(root, event, found));
    else hooks.push(...hookAt(root, event, found));
  }
  return hooks.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

/** Something that may be meant as a hook. */
type Candidate = Pick<Hook, "name" | "tool" | "problem">;

/** What is in the directory of an event, and in its directories of tools. */
function* entriesOfEvent(root: HookDirectory, event: HookEvent): Generator<Candidate | "directory"> {
  const directory = join(root.path, event);
  const found = entriesOf(directory);
  if ("problem" in found) return yield { name: event, ...found };
  for (const entry of found.entries) {
    const name = `${event}/${entry.name}`;
    if (!isDirectory(join(directory, entry.name), entry)) yield { name };
    else {
      yield "directory";
      if (hookEvents[event].isOfCalls) yield* entriesOfTool(join(directory, entry.name), name, entry.name);
    }
  }
}

function* entriesOfTool(directory: string, name: string, tool: string): Generator<Candidate> {
  const inside = entriesOf(directory);
  if ("problem" in inside) yield { name, tool, ...inside };
  else for (const one of inside.entries) yield { name: `${name}/${one.name}`, tool };
}

function broken(root: HookDirectory, event: HookEvent, found: Candidate): Hook {
  return { ...rootOf(root), event, path: join(root.path, found.name), ...found };
}

/** Returns what is in a directory of hooks and is never run, one sentence each: directories that name no event, or are too deep. */
export function misplacedHooks({ path }: HookDirectory): readonly string[] {
  const problems: string[] = [];
  let seen = 0;
  for (const problem of neverRun(path)) {
    if (++seen > maxEntries || problems.length === maxMisplaced)
      return [...problems, `${path} has more that is never run.`];
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/** What is never run; `undefined` for anything else. */
function* neverRun(path: string): Generator<string | undefined> {
  const found = entriesOf(path);
  if ("problem" in found) return yield `Cannot look for hooks in ${path}: ${found.problem}.`;
  for (const { name } of found.entries) {
    const place = printable(join(path, name));
    if (isHookEvent(name)) {
      for (const directory of directoriesBelow(join(path, name), hookEvents[name].isOfCalls ? 1 : 0))
        yield directory && `Nothing in ${printable(directory)} is run: it is too deep. Move its files up.`;
    } else if (name.startsWith(".") || explaining.test(name)) yield undefined;
    else yield `${place} is never run: no event has this name. ${eventAdvice(name)}`;
  }
}

function hookAt(root: HookDirectory, event: HookEvent, { name, tool }: Candidate): Hook[] {
  const path = join(root.path, name);
  const found = { ...rootOf(root), event, ...(tool !== undefined && { tool }), name, path };
  if (isProgram(path)) {
    // A project's are approved by their SHA-256.
    const writer = root.scope === "user" ? writerProblem([path, dirname(path), root.path]) : undefined;
    const problem = root.problem ?? writer;
    return [{ ...found, ...(problem !== undefined && { problem }) }];
  }
  const stats = statsOf(path);
  if (stats && (stats.isDirectory() || (stats.isFile() && explaining.test(basename(name))))) return [];
  // A note of the user, perhaps.
  const problem = whyNoProgram(path, root.path) ?? "it cannot be started";
  return [{ ...found, problem: stats?.isFile() ? `${problem}, or move it away` : problem }];
}

function rootOf({ scope, projectDir }: HookDirectory): Pick<Hook, "scope" | "projectDir"> {
  return { scope, ...(projectDir !== undefined && { projectDir }) };
}

/** The directories this many levels below a directory; `undefined` for each that was looked into. */
function* directoriesBelow(directory: string, depth: number): Generator<string | undefined> {
  yield undefined;
  const found = entriesOf(directory);
  if ("problem" in found) return;
  for (const entry of found.entries) {
    const path = join(directory, entry.name);
    if (!isDirectory(path, entry)) continue;
    if (depth === 0) yield path;
    else yield* directoriesBelow(path, depth - 1);
  }
}

/** The content of a directory, none if it does not exist; or why it cannot be read. */
function entriesOf(directory: string): { readonly entries: readonly Dirent[] } | { readonly problem: string } {
  try {
    return { entries: readdirSync(directory, { withFileTypes: true }) };
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    if (reason.code !== "ENOENT" && reason.code !== "ENOTDIR") {
      return { problem: `it cannot be read: ${systemReason(reason)}` };
    }
    // Neither it nor `hooks` exists, and nothing in a place that cannot have directories.
    const found = [directory, dirname(directory)].find((path) => statsOf(path, lstatSync) !== undefined);
    if (found === undefined || statsOf(found)?.isDirectory()) return { entries: [] };
    if (statsOf(found) === undefined) return { problem: `link target missing: ${readlinkSync(found)}` };
    // The user's directory, which has all of ikigai's.
    if (found !== directory && basename(found) !== "hooks") return { problem: `${found} is not a directory` };
    return { problem: `${basename(found)} is not a directory; hooks are files in a directory of that name` };
  }
}

function isDirectory(path: string, entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && statsOf(path)?.isDirectory() === true);
}
