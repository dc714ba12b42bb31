// The directories that a tool may keep something in: its data forever, its state and its long outputs for a session.
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, rmdirSync, type Stats } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { ToolScope } from "@ikigai/protocol";
import type { Failure } from "@ikigai/sandbox";
import {
  hereDirectory,
  isDirectory,
  makePrivateDirectory,
  namesIn,
  privateDirectoryMode,
  realPathOf,
  statsOf,
} from "@ikigai/system";
import type { RegisteredTool, Registry } from "../registry/registry.ts";

/** Where data directories are. */
interface DataPlaces {
  /** The user's directory, `~/.ikigai`. */
  readonly home: string;
  readonly projectDir: string;
}

/** The directory that contains all data directories. */
function dataRoot(home: string): string {
  return join(resolve(home), "data");
}

/**
 * Returns the path of a tool's data directory; `undefined` for a tool that ships with ikigai, which keeps nothing, and for one that
 * runs elsewhere. Creates nothing.
 */
export function dataDirectory(tool: RegisteredTool, places: DataPlaces): string | undefined {
  const { name, scope, schema, launcher, home = places.home } = tool;
  if (scope === "system" || launcher) return undefined;
  const service = schema.ikigai?.service;
  const own = { ...places, home };
  const found = packageOf(tool, own) ?? { owner: service === undefined ? name : `service-${service}`, home };
  return namedDataDirectory(found.owner, scope, { ...places, home: found.home });
}

/**
 * Returns the path of the data directory of a package, a service or a tool. Those of a project are named after the project: its
 * tools must not share a directory with the user's tools of the same name.
 */
export function namedDataDirectory(owner: string, scope: ToolScope, { home, projectDir }: DataPlaces): string {
  const name = owner.replace("/", "+");
  if (scope !== "project") return join(dataRoot(home), name);
  const project = createHash("sha256").update(realPathOf(projectDir)).digest("hex").slice(0, 12);
  return join(dataRoot(home), `${projectPrefix}${project}-${name}`);
}

/** The beginning of the names of projects' data directories. */
const projectPrefix = "project-";

/** The package that a tool's real file belongs to, and the user's directory that has its data. */
function packageOf(
  { scope, identity }: RegisteredTool,
  places: DataPlaces,
): { readonly owner: string; readonly home: string } | undefined {
  const { home, projectDir } = places;
  const roots = scope === "project" ? [join(projectDir, ".ikigai")] : [home, hereDirectory(places)];
  for (const root of roots) {
    const owner = packageIn(root, identity.realPath);
    if (owner !== undefined) return { owner, home: scope === "project" ? home : root };
  }
  return undefined;
}

/** `NAME/HASH/…` or `@SCOPE/NAME/HASH/…` below `packages/`. */
function packageIn(root: string, path: string): string | undefined {
  const [first = "", second = ""] = relative(realPathOf(join(root, "packages")), path).split(sep);
  if (first === "" || first === "..") return undefined;
  return first.startsWith("@") ? `${first}/${second}` : first;
}

/**
 * Creates a data directory if it is missing. Returns `undefined` if that is impossible, for instance on a full disk: the tool then
 * runs without one, and reports itself if it needs it. A directory that is not the user's own is a failure: its owner could read
 * what the tool stores.
 */
export function makeDataDirectory(path: string): string | Failure | undefined {
  try {
    for (const directory of [dirname(path), path]) {
      if (statsOf(directory, lstatSync) === undefined) makePrivateDirectory(directory);
      const stats = lstatSync(directory);
      const problem = problemOf(stats);
      if (problem !== undefined) return { failure: `its data directory cannot be used: ${directory} ${problem}` };
      if ((stats.mode & 0o077) !== 0) chmodSync(directory, privateDirectoryMode);
    }
    return path;
  } catch {
    return undefined;
  }
}

function problemOf(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link; replace it with a directory";
  if (!stats.isDirectory()) return "is not a directory; remove it";
  return stats.uid === process.geteuid?.() ? undefined : "belongs to another user";
}

/*
 * The directories of a session that its tools may change: what one keeps for the length of the session, and what it leaves out of its
 * answers. A project's tool has none, nor one that runs elsewhere, nor a service, which may outlive the session.
 */

/** Returns the directory for a tool that declares `state`. Creates nothing. */
export function stateDirectory(
  tool: RegisteredTool,
  { stateDir }: { readonly stateDir?: string | undefined },
): string | undefined {
  return isOfSession(tool) && tool.schema.ikigai?.state === true ? stateDir : undefined;
}

/** Returns the directory for the whole of what a tool shows only in part: for one that declares `answerBytes`. Creates nothing. */
export function outputsDirectory(
  tool: RegisteredTool,
  { overflowDir }: { readonly overflowDir?: string | undefined },
): string | undefined {
  const isOffered = isOfSession(tool) && tool.schema.ikigai?.answerBytes !== undefined;
  return isOffered && overflowDir !== undefined ? join(overflowDir, "outputs") : undefined;
}

function isOfSession({ scope, schema, launcher }: RegisteredTool): boolean {
  return scope !== "project" && !launcher && schema.ikigai?.service === undefined;
}

const made = new Set<string>();

/** Creates it, as `makeDataDirectory` does: a sandbox shows only what exists. What is empty when this process exits is removed. */
export function makeOutputsDirectory(path: string): string | Failure | undefined {
  if (!made.has(path)) process.once("exit", () => removeIfEmpty([path, dirname(path)]));
  made.add(path);
  return makeDataDirectory(path);
}

function removeIfEmpty(directories: readonly string[]): void {
  try {
    for (const directory of directories) rmdirSync(directory);
  } catch {
    // The user may still want what is in it.
  }
}

/** The owner of the hooks' data directory: no tool and no package can have this name. */
export const hookDataOwner = "+hooks";

/** Where data directories may be, and those of the packages that are installed. */
interface DataInUse extends DataPlaces {
  /** The user's directory, and others with the user's tools. */
  readonly homes: readonly string[];
  readonly packages: readonly string[];
}

/** Returns the data directories whose tools are gone, as far as is known. Those of projects are left out: which ones exist is unknown. */
export function unusedData({ tools, failed }: Registry, { homes, packages, ...places }: DataInUse): readonly string[] {
  const roots = homes.map(dataRoot);
  const all = roots.flatMap((root) => namesIn(root).map((name) => join(root, name))).filter(isDirectory);
  const owners = [hookDataOwner, ...tools.map(({ name }) => name), ...failed.map(({ name }) => name)];
  const own = tools.flatMap((tool) => dataDirectory(tool, places) ?? []);
  const used = new Set([...own, ...packages, ...owners.map((owner) => namedDataDirectory(owner, "user", places))]);
  // Which services overridden and failed tools name is unknown.
  const isUnclear = failed.length > 0 || tools.some(({ shadows }) => shadows.some(({ scope }) => scope !== "system"));
  return all.filter((path) => {
    const name = basename(path);
    return !used.has(path) && !name.startsWith(projectPrefix) && !(isUnclear && name.startsWith("service-"));
  });
}
