import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isProgram, systemReason } from "@ikigai/system";
import { whyNoProgram } from "../process/explain-start-failure.ts";
import { type Hook, printable } from "./hook.ts";
import { eventAdvice, type HookEvent, hookEvents, isHookEvent } from "./hook-events.ts";

/** A directory with a directory for each event. */
export interface HookDirectory {
  readonly path: string;
  readonly scope: Hook["scope"];
}

/** How many places are reported that are never run: the directory may be a stranger's. */
const maxMisplaced = 10;

/** Files that explain a directory. They are hooks only if they are executable. */
const explaining = /^README$|\.md$/;

/**
 * Lists the hooks of an event, by the bytes of their paths. Opens and runs none.
 *
 * Everything that may be meant as a hook is listed, with a `problem` if it cannot be run: what is meant to guard must not be
 * skipped silently. A directory that cannot be read counts as such a hook.
 */
export function listHooks(root: HookDirectory, event: HookEvent): readonly Hook[] {
  const directory = join(root.path, event);
  const found = entriesOf(directory);
  const hook = (name: string, more: Pick<Hook, "tool" | "problem">): Hook => ({
    event,
    name,
    path: join(root.path, name),
    scope: root.scope,
    ...more,
  });
  if ("problem" in found) return [hook(event, found)];
  const hooks = found.entries.flatMap((entry) => {
    const name = `${event}/${entry.name}`;
    if (!isDirectory(join(directory, entry.name), entry)) return hookAt(root, event, name);
    if (!hookEvents[event].isOfCalls) return [];
    const inside = entriesOf(join(directory, entry.name));
    if ("problem" in inside) return [hook(name, { tool: entry.name, ...inside })];
    return inside.entries.flatMap((one) => hookAt(root, event, `${name}/${one.name}`, entry.name));
  });
  return hooks.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

/** Returns what is in a directory of hooks and is never run, one sentence each: directories that name no event, or are too deep. */
export function misplacedHooks({ path }: HookDirectory): readonly string[] {
  const found = entriesOf(path);
  if ("problem" in found) return [`Cannot look for hooks in ${path}: ${found.problem}.`];
  const problems = found.entries.flatMap((entry) => {
    if (!isHookEvent(entry.name)) {
      if (entry.name.startsWith(".") || explaining.test(entry.name)) return [];
      return [`${printable(join(path, entry.name))} is never run: no event has this name. ${eventAdvice(entry.name)}`];
    }
    return directoriesBelow(join(path, entry.name), hookEvents[entry.name].isOfCalls ? 1 : 0).map(
      (directory) => `Nothing in ${printable(directory)} is run: it is too deep. Move its files up.`,
    );
  });
  const rest = problems.length - maxMisplaced;
  return rest > 0 ? [...problems.slice(0, maxMisplaced), `${rest} more places in ${path} are never run.`] : problems;
}

function hookAt(root: HookDirectory, event: HookEvent, name: string, tool?: string): Hook[] {
  const path = join(root.path, name);
  const found = { event, ...(tool !== undefined && { tool }), name, path, scope: root.scope };
  if (isProgram(path)) return [found];
  const stats = statsOf(path);
  if (stats && (stats.isDirectory() || (stats.isFile() && explaining.test(basename(name))))) return [];
  return [{ ...found, problem: whyNoProgram(path, root.path) ?? "it cannot be started" }];
}

/** The directories this many levels below a directory. */
function directoriesBelow(directory: string, depth: number): string[] {
  const found = entriesOf(directory);
  if ("problem" in found) return [];
  const directories = found.entries
    .map((entry) => ({ entry, path: join(directory, entry.name) }))
    .flatMap(({ entry, path }) => (isDirectory(path, entry) ? [path] : []));
  return depth === 0 ? directories : directories.flatMap((path) => directoriesBelow(path, depth - 1));
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
    const found = [directory, dirname(directory)].find((path) => ownStatsOf(path) !== undefined);
    if (found === undefined || statsOf(found)?.isDirectory()) return { entries: [] };
    if (statsOf(found) === undefined) return { problem: `link target missing: ${readlinkSync(found)}` };
    return { problem: `${basename(found)} is not a directory; hooks are files in a directory of that name` };
  }
}

function isDirectory(path: string, entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && statsOf(path)?.isDirectory() === true);
}

function ownStatsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
