import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isProgram, statsOf, systemReason, writerProblem } from "@ikigai/system";
import { whyNoProgram } from "../process/explain-start-failure.ts";
import { type Hook, printable } from "./hook.ts";
import { eventAdvice, type HookEvent, hookEvents, isHookEvent } from "./hook-events.ts";

/** A directory with a directory for each event. */
export interface HookDirectory {
  readonly path: string;
  readonly scope: Hook["scope"];
  /** The project, for its own directory. */
  readonly projectDir?: string;
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
    return [{ ...found, ...(writer !== undefined && { problem: writer }) }];
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
