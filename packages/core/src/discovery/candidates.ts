// Where tools are looked for, and the files there that are named like tools. Runs nothing.
import {
  accessSync,
  type BigIntStats,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type ToolScope, toolNameOf, toolNamePattern, toolSuffix } from "@ikigai/protocol";
import type { Launcher } from "@ikigai/sandbox";
import {
  escapeOf,
  hereDirectories,
  hereDirectory,
  otherWriter,
  realPathOf,
  shellWord,
  systemReason,
  writerProblem,
} from "@ikigai/system";
import { type FailedTool, type FileIdentity, launchedPath } from "../registry/registry.ts";
import { stampAt, stampOf, stampOfLink } from "../registry/stamps.ts";

/** A directory of tools. */
export interface ToolDirectory {
  /** Absolute, or relative to the working directory. */
  readonly path: string;
  /** The scope of the tools in it. */
  readonly scope: ToolScope;
  /** The name of its only file that counts. Default: all of its tools. */
  readonly only?: string | undefined;
  /** The skill whose scripts are in it. */
  readonly skill?: string | undefined;
  /** Set for tools that the host has made for one conversation. */
  readonly temporary?: TemporaryTools | undefined;
}

/**
 * Tools that a host has made for one conversation. What they print for `--schema` is in `schemas.json` beside them, by the SHA-256 of
 * each file in hexadecimal, so that none is run. Nothing about them is cached.
 */
export interface TemporaryTools {
  /** The directory that has their data directories, in place of the user's. Absolute. */
  readonly home: string;
  /** Tools in other directories whose names begin like this are left out, unless this directory has none. */
  readonly prefix: string;
}

/** What determines the tool directories. */
export interface ToolPlaces {
  /** Directory of the tools that ship with the host, if any. */
  readonly systemDir?: string | undefined;
  /** The user's directory: `IKIGAI_HOME`, or `~/.ikigai`. */
  readonly home: string;
  /** The project's directory. */
  readonly projectDir: string;
  /** `IKIGAI_TOOL_PATH`: directories above all others, the first one highest, separated like `PATH`. For tool development. */
  readonly toolPath?: string | undefined;
}

/**
 * Returns the tool directories, farthest first: a tool overrides tools of the same name in earlier directories. The user's tools for
 * the project's directory only are between the user's others and the project's.
 *
 * A directory that is listed twice counts once, at its highest rank. A project directory that is also another one (the project
 * is the home directory, or is in `toolPath`) counts as the other one: the user's own tools need no trust.
 */
export function toolDirectories({ systemDir, home, projectDir, toolPath = "" }: ToolPlaces): readonly ToolDirectory[] {
  const user: ToolDirectory = { path: join(resolve(home), "tools"), scope: "user" };
  const others: ToolDirectory[] = [
    ...(systemDir === undefined ? [] : [{ path: resolve(systemDir), scope: "system" } as const]),
    user,
    ...developed(toolPath, projectDir),
  ];
  const real = others.map(({ path }) => realPathOf(path));
  const unique = others.filter((_, index) => real.lastIndexOf(real[index] ?? "") === index);
  const project: ToolDirectory = { path: join(resolve(projectDir), ".ikigai", "tools"), scope: "project" };
  const isUsers = real.includes(realPathOf(project.path));
  const rank = unique.findLastIndex(({ path, scope }) => scope === "system" || path === user.path) + 1;
  return unique.toSpliced(rank, 0, hereTools({ home, projectDir }), ...(isUsers ? [] : [project]));
}

/**
 * Finds the path when it is first read: the screen need not wait for the module for hashes. As long as no directory has tools of its
 * own, it is the missing directory of all of them, because the module takes 3 ms of a start.
 */
function hereTools(places: Pick<ToolPlaces, "home" | "projectDir">): ToolDirectory {
  let path: string | undefined;
  return {
    get path() {
      const all = hereDirectories(places.home);
      if (path === undefined && !existsSync(all)) return all;
      path ??= join(hereDirectory(places), "tools");
      return path;
    },
    scope: "user",
  };
}

function developed(toolPath: string, projectDir: string): ToolDirectory[] {
  const paths = toolPath.split(delimiter).filter((path) => path !== "");
  return paths.reverse().map((path) => ({ path: resolve(projectDir, path), scope: "user" }));
}

/** An executable file that is named like a tool. */
export interface Candidate {
  readonly name: string;
  readonly path: string;
  readonly scope: ToolScope;
  readonly identity: FileIdentity;
  /** The state of the file at `path`, which may be a link. */
  readonly stamp: string;
  /** The file beside it that describes it, for one that has no comments. The state is also part of the identity. */
  readonly sidecar?: { readonly path: string; readonly stamp: string };
  /** Where it runs, if not locally; `path` is then only for display. */
  readonly launcher?: Launcher;
  /** The directory of its data, if it was made for one conversation. */
  readonly home?: string;
  /** The skill whose script it is. */
  readonly skill?: string;
}

/** The contents of the tool directories. */
export interface Listing {
  /** Farthest first. Within a directory in reverse order, so that of `a-b-tool` and `a_b-tool` the first one wins. */
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedTool[];
  /** Directories that cannot be read, one sentence each. */
  readonly problems: readonly string[];
}

/** Lists the tools without opening or running any. Ignores anything that is not a file. */
export function listCandidates(directories: readonly ToolDirectory[]): Listing {
  const candidates: Candidate[] = [];
  const failed: FailedTool[] = [];
  const problems: string[] = [];
  for (const directory of directories) {
    const { entries, sidecars, prefix, realPrefix, problem } = readDirectory(directory.path);
    if (problem !== undefined) problems.push(problem);
    const writer = directory.scope === "user" && entries.length > 0 ? writerProblem([directory.path]) : undefined;
    for (const entry of entries) {
      if (directory.only !== undefined && entry.name !== directory.only) continue;
      const found = examine(directory, { prefix, realPrefix, writer, sidecars }, entry);
      if (found === undefined) continue;
      if ("reason" in found) failed.push(found);
      else candidates.push(found);
    }
  }
  return { candidates: withoutReplaced(candidates, directories), failed, problems };
}

/** Leaves out the tools in whose place others were made for one conversation. */
function withoutReplaced(candidates: readonly Candidate[], directories: readonly ToolDirectory[]): Candidate[] {
  const isFrom = (directory: string, { path }: Candidate) => dirname(path) === directory;
  const made = directories.flatMap(({ path, temporary }) =>
    temporary && candidates.some((candidate) => isFrom(path, candidate)) ? [{ path, prefix: temporary.prefix }] : [],
  );
  return candidates.filter(
    (candidate) => !made.some(({ path, prefix }) => candidate.name.startsWith(prefix) && !isFrom(path, candidate)),
  );
}

/** A tool that has no comments is described by the file of its name with this ending. */
const descSuffix = ".desc";
const sidecarSuffix = `${toolSuffix}${descSuffix}`;

function sidecarAt(path: string): Candidate["sidecar"] {
  return { path, stamp: stampAt(path) };
}

/** What precedes a file's name in its path: joining each of many paths takes longer than reading the directory. */
interface Prefixes {
  readonly prefix: string;
  /** The same without links. */
  readonly realPrefix: string;
}

/** A directory of tools. */
interface Place extends Prefixes {
  readonly sidecars: ReadonlySet<string>;
  /** Who else could have put a user's tool there, if someone could. */
  readonly writer: string | undefined;
}

interface Entries extends Prefixes {
  readonly entries: readonly Dirent[];
  /** The names of the files that describe tools. */
  readonly sidecars: ReadonlySet<string>;
  readonly problem?: string;
}

function readDirectory(path: string): Entries {
  const prefix = prefixOf(path);
  try {
    const all = readdirSync(path, { withFileTypes: true });
    const entries = all.filter(({ name }) => name.endsWith(toolSuffix));
    const sidecars = new Set(all.filter(({ name }) => name.endsWith(sidecarSuffix)).map(({ name }) => name));
    // readdir's order varies by file system.
    entries.sort((a, b) => (a.name < b.name ? 1 : -1));
    return { entries, sidecars, prefix, realPrefix: prefixOf(realpathSync.native(path)) };
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    const none = { entries: [], sidecars: new Set<string>(), prefix, realPrefix: prefix };
    if (reason.code === "ENOENT") return none;
    return { ...none, problem: `Cannot look for tools in ${path}: ${systemReason(reason)}.` };
  }
}

function prefixOf(directory: string): string {
  return join(directory, "x").slice(0, -1);
}

function examine(
  { scope, temporary, skill }: ToolDirectory,
  { prefix, realPrefix, writer, sidecars }: Place,
  entry: Dirent,
): Candidate | FailedTool | undefined {
  const isLink = entry.isSymbolicLink();
  if (!isLink && !entry.isFile()) return undefined;
  const path = prefix + entry.name;
  const name = validName(entry.name);
  const fail = (reason: FailedTool["reason"], detail: string): FailedTool => ({
    name: name ?? escapedName(entry.name),
    path,
    scope,
    reason,
    detail,
  });
  try {
    const own = isLink ? lstatSync(path, { bigint: true }) : undefined;
    const stats = statSync(path, { bigint: true });
    if (!stats.isFile()) return undefined;
    if (name === undefined) return fail("invalid name", nameRule);
    if (!isExecutable(path, stats)) return fail("not executable", `fix it with chmod +x ${shellWord(path)}`);
    const realPath = isLink ? realpathSync.native(path) : realPrefix + entry.name;
    // Discovery runs it. A project's files are approved by their SHA-256, and the system's are ikigai's own.
    const unsafe = scope === "user" ? (writerOf(path, stats, isLink) ?? writer) : undefined;
    if (unsafe !== undefined) return fail("unsafe", unsafe);
    const sidecar = sidecars.has(entry.name + descSuffix) ? sidecarAt(path + descSuffix) : undefined;
    const strange = sidecar && scope === "user" ? writerProblem([sidecar.path]) : undefined;
    if (strange !== undefined) return fail("unsafe", strange);
    const stamp = stampOf(stats);
    const found = { name, path, scope, ...(temporary && { home: temporary.home }), ...(skill && { skill }) };
    return {
      ...found,
      identity: { realPath, stamp: sidecar ? `${stamp}+${sidecar.stamp}` : stamp },
      stamp: own ? stampOfLink(own, stamp) : stamp,
      ...(sidecar && { sidecar }),
    };
  } catch (error) {
    // A file that vanished since readdir is not an error; a broken link is.
    return isLink ? fail("not executable", brokenLink(path, error as NodeJS.ErrnoException)) : undefined;
  }
}

/** Who else could have written a user's tool. Costs nothing more for a file whose state says that no one could. */
function writerOf(path: string, { mode, uid, gid }: BigIntStats, isLink: boolean): string | undefined {
  const isPrivate = otherWriter({ mode: Number(mode), uid: Number(uid), gid: Number(gid) }) === undefined;
  return isPrivate && !isLink ? undefined : writerProblem([path]);
}

const nameRule = "the part before -tool must be 1 to 64 letters, digits, - or _, and begin with a letter";

function brokenLink(path: string, error: NodeJS.ErrnoException): string {
  if (error.code !== "ENOENT") return systemReason(error);
  try {
    return `link target missing: ${readlinkSync(path)}; build it or restore it`;
  } catch {
    return "link target missing";
  }
}

function isExecutable(path: string, { mode }: BigIntStats): boolean {
  const bits = mode & 0o111n;
  // All or no execute bits: no need to ask the system.
  if (bits === 0o111n || bits === 0n) return bits !== 0n;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A launcher as configured: `argv` (the command prefix, for instance `["ssh", "build-box"]`), `path` (default: the tool's path here),
 * `directory` (the working directory there) and `remoteShell` (whether a shell there parses the command line again; default: true for
 * `ssh`, otherwise false).
 */
export type LauncherSettings = Omit<Launcher, "path"> & { readonly path?: string | undefined };

/** The tools that the user's configuration runs elsewhere. */
interface LaunchedListing {
  /** Ranked above all others: a tool the user put into a container must not run outside it because of a nearer file. */
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedTool[];
}

/** @param local the tools found locally, farthest first. */
export function launchedCandidates(
  launchers: Readonly<Record<string, LauncherSettings>>,
  local: readonly Candidate[],
): LaunchedListing {
  const candidates: Candidate[] = [];
  const failed: FailedTool[] = [];
  for (const [name, settings] of Object.entries(launchers)) {
    const own = local.findLast((candidate) => candidate.name === name && candidate.scope !== "project");
    const path = settings.path ?? own?.identity.realPath;
    if (path === undefined) {
      const detail = `it has a launcher but no local file: set tools.${name}.path to its path there`;
      const tool = { name, path: settings.argv.join(" "), scope: "user", isLaunched: true } as const;
      failed.push({ ...tool, reason: "not executable", detail });
    } else candidates.push(candidate(name, { ...settings, path }));
  }
  return { candidates, failed };
}

/** The file cannot be checked, so its schema stays valid until the configuration changes or discovery runs with `fresh`. */
function candidate(name: string, launcher: Launcher): Candidate {
  const path = launchedPath(launcher);
  const stamp = JSON.stringify([launcher.argv, launcher.path, launcher.directory]);
  return { name, path, scope: "user", identity: { realPath: path, stamp }, stamp, launcher };
}

/** Returns the tool name for a file name; `undefined` if it is not a valid tool name. */
export function validName(fileName: string): string | undefined {
  const name = toolNameOf(fileName);
  return toolNamePattern.test(name) ? name : undefined;
}

/** Returns an invalid tool's name with everything but printable ASCII escaped, for display. */
export function escapedName(fileName: string): string {
  return toolNameOf(fileName).replaceAll(/[^\x20-\x7e]/gu, escapeOf);
}
