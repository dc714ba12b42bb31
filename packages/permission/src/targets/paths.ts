// Which files a call concerns: where a path leads with its symlinks resolved, which parameter of a tool names it, whether it is in the
// project and in no place that always needs a question, and whether a search stays there.

import { lstatSync, statfsSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { ignoresIn } from "@ikigai/git-files/ignore";
import { type DirectoryVisit, expandBraces, glob } from "@ikigai/posix/glob";
import { type ArgumentReading, aliasesOf, argumentsAsRead, type JsonObject, type ToolAccess } from "@ikigai/protocol";
import { secretPlacesOf } from "@ikigai/sandbox";
import { isInside, maxPathBytes, pathAsMeant, pathAsSpelled, readLink, readRealPath, userHome } from "@ikigai/system";

/** How many symlinks are followed: as many as on Linux. */
const maxLinks = 40;

/** Longest path that is followed, in UTF-16 code units: no system opens one with more bytes. */
export const maxPathLength = 4_096;

/** The type of procfs in statfs(2), whose symlinks lead elsewhere in each process: `/proc/self/cwd`, `/dev/stdin`. */
const procfs = 0x9fa0;

/**
 * Returns where a path leads with symlinks resolved, whether or not it exists: what a tool in `cwd` would open. Resolves
 * like the system, so `link/..` is the parent of the link's target. `undefined` if it leads nowhere: a symlink loop, an
 * invalid character, a name that is not UTF-8, a directory that cannot be searched, a path that is too long; and if another process
 * would open something else.
 *
 * @param followed gets each symlink on the way: its real place
 */
export function realTarget(path: string, cwd: string, followed?: (link: string) => void): string | undefined {
  if (path.includes("\0") || path.length > maxPathLength) return undefined;
  try {
    let links = 0;
    let current = isAbsolute(path) ? sep : readRealPath(cwd);
    // Reversed, so that taking the next segment moves none of the others.
    const rest = path.split(sep).reverse();
    for (let segment = rest.pop(); segment !== undefined; segment = rest.pop()) {
      if (segment === "" || segment === ".") continue;
      if (segment === "..") {
        current = dirname(current);
        continue;
      }
      const next = join(current, segment);
      if (!lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) {
        current = next;
        continue;
      }
      if (++links > maxLinks || statfsSync(current).type === procfs) return undefined;
      const target = readLink(next);
      followed?.(next);
      if (isAbsolute(target)) current = sep;
      rest.push(...target.split(sep).reverse());
    }
    return current;
  } catch {
    return undefined;
  }
}

const folded = new Map<string, string>();

/**
 * Folds a text like a file system that ignores case, width and invisible characters. Replaces only what becomes ASCII, since
 * protected names are ASCII. Takes linear time; the result is at most a few times as long.
 */
export function foldName(text: string): string {
  return text.replace(/\P{ASCII}/gu, foldCharacter).toLowerCase();
}

function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const plain = character.normalize("NFKC");
  const result = /\p{Cf}/u.test(character) ? "" : /^\p{ASCII}+$/u.test(plain) ? plain : character;
  folded.set(character, result);
  return result;
}

/** The access that is declared for a tool's calls, and who declares it. */
export interface DeclaredAccess extends ArgumentReading {
  readonly access?: ToolAccess | undefined;
  /**
   * `system`: the system tool of this name. `tool`: this tool, which overrides no system tool; this may restrict its calls
   * but never allow them. `unknown`: the system tool of this name could not be queried.
   */
  readonly by: "system" | "tool" | "unknown";
}

/**
 * Returns how to interpret a tool's calls. An override is interpreted like the system tool it overrides, whatever it
 * declares.
 */
export function declaredAccess({ schema, system }: RegisteredTool): DeclaredAccess {
  if (system === "unknown") return { parameters: {}, aliases: {}, by: "unknown" };
  const declared = system ?? schema;
  const { parameters } = declared;
  return { access: declared.ikigai?.access, parameters, aliases: aliasesOf(declared), by: system ? "system" : "tool" };
}

/**
 * Returns a call's arguments as the tool reads them, by the tools' own function. Those of a system tool, and of its override, have the
 * path of a file or a search as it is meant: `~/` and `file:///` are absolute. Returns the same object if nothing changes.
 */
export function argumentsRead(args: JsonObject, declared: DeclaredAccess): JsonObject {
  return withMeantPath(argumentsAsRead(args, declared), declared);
}

/** Returns arguments with the path as it is meant, if the declaration is a system tool's. */
export function withMeantPath(args: JsonObject, { access, by }: DeclaredAccess): JsonObject {
  const name = by === "system" && access !== undefined && "path" in access ? access.path : undefined;
  const path = name === undefined ? undefined : args[name];
  const meant = typeof path === "string" ? pathAsMeant(path) : undefined;
  return name === undefined || meant === undefined || meant === path ? args : { ...args, [name]: meant };
}

/** Returns the path that a system tool takes instead of one that does not exist (`pathAsSpelled`). */
export function asToolSpells(path: string, { access, by }: DeclaredAccess, cwd: string): string {
  if (by !== "system" || access?.kind === "write-file" || path === "" || path.includes("\0")) return path;
  const absolute = isAbsolute(path) ? path : `${cwd}/${path}`;
  const spelled = pathAsSpelled(absolute);
  return spelled === absolute ? path : spelled;
}

/** Returns the file that a call would open, symlinks resolved. */
export function fileTarget(path: string, declared: DeclaredAccess, cwd: string): string | undefined {
  return realTarget(asToolSpells(path, declared, cwd), cwd);
}

/** Access to one file that the call names. */
export type FileAccess = Extract<ToolAccess, { kind: "read-file" | "write-file" | "edit-file" }>;

export function isFileAccess(access: ToolAccess | undefined): access is FileAccess {
  return access?.kind === "read-file" || changesFile(access);
}

export function changesFile(
  access: ToolAccess | undefined,
): access is FileAccess & { kind: "write-file" | "edit-file" } {
  return access?.kind === "write-file" || access?.kind === "edit-file";
}

/** A search below a directory, by name or content. */
export type SearchAccess = Extract<ToolAccess, { kind: "list-files" | "search-files" }>;

export function isSearchAccess(access: ToolAccess | undefined): access is SearchAccess {
  return access?.kind === "list-files" || access?.kind === "search-files";
}

/** What counts as the project. */
export interface ProjectScope {
  readonly projectDir: string;
  /** The user's directory, `~/.ikigai`. */
  readonly home: string;
  /** Directories that count as the project, too: real paths. */
  readonly directories?: readonly string[];
}

/** The directories that count as the project, the project's own first. Without it if it cannot be resolved. */
export function projectsOf({ projectDir, directories = [] }: Omit<ProjectScope, "home">): string[] {
  return [...[realTarget(".", projectDir)].flatMap((real) => real ?? []), ...directories];
}

/** Where a call may read or edit without a question, as real paths. */
export interface ProjectBounds {
  readonly projects: readonly string[];
  /** Places in or around the project that still need a question, folded: ikigai's directory, and where people keep secrets. */
  readonly except: readonly string[];
}

/** Returns `undefined` if the project directory cannot be resolved. */
export function projectBounds(scope: ProjectScope): ProjectBounds | undefined {
  const projects = projectsOf(scope);
  if (realTarget(".", scope.projectDir) === undefined) return undefined;
  const except = projects.flatMap((project) => [...around(project, [scope.home]), ...secretsAround(project)]);
  return { projects, except };
}

/** Whether a real path is in the bounds, and with `isRecursive` everything that may be below it. */
export function isFree(real: string, { projects, except }: ProjectBounds, isRecursive = false): boolean {
  if (!projects.some((project) => isInside(real, project))) return false;
  if (except.length === 0) return true;
  const folded = foldName(real);
  return !except.some((place) => isInside(folded, place) || (isRecursive && isInside(place, folded)));
}

/** Whether a real path is inside the project, and in no place that always needs a question. */
export function isInsideProject(real: string | undefined, scope: ProjectScope): boolean {
  const bounds = real === undefined ? undefined : projectBounds(scope);
  return real !== undefined && bounds !== undefined && isFree(real, bounds);
}

/** The secret places around the projects that were asked about: resolving all takes about as long as a call of file_read. */
const known = new Map<string, readonly string[]>();

function secretsAround(project: string): readonly string[] {
  const user = userHome();
  if (user === undefined) return [];
  const key = `${user}\0${project}`;
  const places = known.get(key) ?? around(project, secretPlacesOf(user, process.env));
  known.set(key, places);
  return places;
}

/** Those of some places that are in the project, or that it is in: where they lead, folded. */
function around(project: string, places: readonly string[]): string[] {
  const folded = foldName(project);
  return places.flatMap((place) => {
    const real = realTarget(place, project);
    const name = real === undefined ? undefined : foldName(real);
    return name !== undefined && (isInside(name, folded) || isInside(folded, name)) ? [name] : [];
  });
}

/** How much is checked before a decision; a larger search needs a question. */
export interface SearchLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
}

/**
 * The largest repositories have about 500,000 files. The user waits for this check, and the search itself takes as long
 * again.
 */
const defaultLimits: SearchLimits = { maxEntries: 1_000_000, maxMs: 5_000 };

const wildcards = /[*?[\\]/;

/** A path segment that may match `..`: glob(3) lets `.*` match it. */
const mayBeParent = /^\\?\.(?:\\?\.|[*?[])/;

/**
 * Longest path at which all symlinks behind it are still found, in bytes: a tool uses paths relative to its working
 * directory, so it gets further than this check before the system rejects a path as too long.
 */
const maxSeenBytes = maxPathBytes - 256;

/** One interpretation of a search pattern. */
interface Search {
  /** Where it starts: the part before the first wildcard. */
  readonly start: string;
  /** The path segments of the pattern after that. */
  readonly steps: readonly string[];
}

/**
 * Whether everything that a search would read is inside the bounds: its directory, the pattern's literal segments, and the
 * symlinks it would follow. `false` if that cannot be determined within the limits.
 */
export function searchesInside(
  access: SearchAccess,
  args: JsonObject,
  cwd: string,
  bounds: ProjectBounds,
  limits = defaultLimits,
): boolean {
  const place = textOf(args[access.path]);
  if (access.pattern === undefined) return listsInside(place, cwd, bounds);
  const pattern = textOf(args[access.pattern]);
  const readsContents = access.kind === "search-files";
  if (place === undefined || pattern === undefined) return false;
  try {
    const patterns = patternsByStart(
      (readsContents ? withBelow(pattern) : [pattern]).flatMap((each) => readingsOf(place, each)),
      cwd,
      bounds,
    );
    return patterns !== undefined && staysInside(patterns, readsContents, bounds, limits);
  } catch {
    // Too many alternatives or a system error: it is unknown what the tool will find.
    return false;
  }
}

/** A search for the contents of files also searches below, unless its pattern is about a path. */
function withBelow(pattern: string): string[] {
  const name = pattern || "*";
  return name.includes("/") ? [name] : [name, `**/${name}`];
}

/** Whether names are listed inside only: such a tool takes its path literally and follows no symlinks. */
function listsInside(place: string | undefined, cwd: string, bounds: ProjectBounds): boolean {
  const real = place === undefined ? undefined : realTarget(place || ".", cwd);
  return real !== undefined && isFree(real, bounds, true);
}

/** Returns the patterns to search for, by the real directory they start in; nothing if one of them names a place outside. */
function patternsByStart(
  readings: readonly Search[],
  cwd: string,
  bounds: ProjectBounds,
): Map<string, string[]> | undefined {
  const patterns = new Map<string, string[]>();
  for (const { start, steps } of readings) {
    if (steps.slice(0, -1).some((step) => mayBeParent.test(step)) || steps.at(-1) === "..") return undefined;
    const real = realTarget(start || ".", cwd);
    if (real === undefined || !isFree(real, bounds)) return undefined;
    const others = patterns.get(real) ?? [];
    if (steps.length > 0) patterns.set(real, [...others, steps.join("/")]);
  }
  return patterns;
}

/**
 * Some tools read an absolute pattern from the root, others below `path`. Wildcards and braces in `path` count if no file
 * has that name, which may disappear before the call.
 */
function readingsOf(place: string, pattern: string): Search[] {
  return [
    ...expandBraces(pattern).flatMap((each) => {
      const inPlace = splitAtWildcard(each);
      const fromRoot = each.startsWith("/") ? [{ ...inPlace, start: inPlace.start || "/" }] : [];
      return [{ ...inPlace, start: joinAsIs(place, inPlace.start) }, ...fromRoot];
    }),
    ...(/[*?[\\{]/.test(place) ? expandBraces(joinAsIs(place, pattern)).map(splitAtWildcard) : []),
  ];
}

function splitAtWildcard(pattern: string): Search {
  const all = pattern.split("/");
  const first = all.findIndex((step) => wildcards.test(step));
  if (first < 0) return { start: pattern, steps: [] };
  return { start: all.slice(0, first).join("/") || (first > 0 ? "/" : ""), steps: all.slice(first) };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : undefined;
}

/** Not `path.join`: a `..` after a symlink must stay. */
function joinAsIs(place: string, literal: string): string {
  return place === "" ? literal : `${place}/${literal}`;
}

/**
 * Runs the tool's searches to find each symlink it would follow: a directory that the pattern does not reach costs nothing,
 * nor does a file that is not a symlink.
 *
 * @param filesOnly whether the tool reads the files it finds, also through symlinks.
 */
function staysInside(
  patterns: ReadonlyMap<string, readonly string[]>,
  filesOnly: boolean,
  bounds: ProjectBounds,
  { maxEntries, maxMs }: SearchLimits,
): boolean {
  const deadline = performance.now() + maxMs;
  let entryCount = 0;
  let isInBounds = true;
  for (const [cwd, texts] of patterns) {
    const onDirectory = (visit: DirectoryVisit): boolean => {
      entryCount += visit.entryCount;
      const isKnown = entryCount <= maxEntries && performance.now() <= deadline;
      isInBounds &&= isKnown && isVisitInside(visit, cwd, bounds);
      return isInBounds;
    };
    // The tools leave out the same: they search no more than this.
    for (const _ of glob(texts, { cwd, filesOnly, onDirectory, ignores: ignoresIn })) if (!isInBounds) return false;
    if (!isInBounds) return false;
  }
  return true;
}

function isVisitInside({ path, links, problem }: DirectoryVisit, cwd: string, bounds: ProjectBounds): boolean {
  // What cannot be read here, the tool cannot read either.
  if (problem !== undefined && problem !== "EACCES" && problem !== "EPERM") return false;
  if (Buffer.byteLength(cwd) + path.length > maxSeenBytes) return false;
  return [...links, ...(bounds.except.length > 0 ? [path] : [])].every((each) => {
    // A name that is not valid text cannot be resolved here.
    const real = typeof each === "string" ? realTarget(`${cwd}/${each}`, cwd) : undefined;
    return real !== undefined && isFree(real, bounds);
  });
}
