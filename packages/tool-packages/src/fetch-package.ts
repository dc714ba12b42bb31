// Fetches a source of any kind into a stage, finds its tools and checks their names. The ways to fetch are in fetch-npm.ts and fetch-git.ts.

import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { hashFile, hashTree, realPathOf, withoutPassword } from "@ikigai/system";
import { type DependencyLock, ownLock, registryDependencies } from "./dependency-lock.ts";
import { fetchGit } from "./fetch-git.ts";
import { fetchDependencies, fetchNpm } from "./fetch-npm.ts";
import {
  bringsMoreThanTools,
  checkFileName,
  fileNameFor,
  type Manifest,
  nameAdvice,
  type PackagedTool,
  packageTools,
  passesCheck,
  readManifest,
} from "./package-tools.ts";
import type { Source } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import { packageIn } from "./registries.ts";
import type { Fetched, Stage } from "./stage.ts";
import { copyTree, tameTree } from "./tree.ts";

/** A package that is complete and checked, but not installed yet. */
export interface StagedPackage extends Fetched {
  /** Paths are relative to the stage. */
  readonly tools: readonly PackagedTool[];
  /** Whether it passed `tool check`, as its author has recorded; `undefined` if its manifest does not say. */
  readonly passesCheck: boolean | undefined;
  /** Whether it brings skills, hooks, commands or agents, in `packageDir`. */
  readonly bringsMore: boolean;
  /** Its only file, if it is a single file. Otherwise it needs its own folder. */
  readonly isSingleFile: boolean;
  /** The hash of the file, or of all files: see `hashTree`. */
  readonly sha256: string;
  /** Its own files, without those of its dependencies. Paths are relative to the package. */
  readonly files: readonly string[];
}

export interface FetchOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The name for its only tool, if not that of its file. */
  readonly wantedName?: string | undefined;
  /** Its dependencies when it was added. */
  readonly lock?: DependencyLock | undefined;
}

/**
 * Fetches a source into an empty directory, without running anything from it, and finds its tools.
 *
 * @throws Refusal if it cannot be fetched, or has no tools.
 */
export async function fetchPackage(
  source: Source,
  stage: Stage,
  { env, wantedName, lock }: FetchOptions,
): Promise<StagedPackage> {
  if (source.kind === "file") return stageFile(source.path, stage.content, wantedName);
  const fetched = await fetchFolder(source, stage, env, lock);
  const { content } = stage;
  tameTree(content);
  const folder = join(content, fetched.packageDir);
  const bringsMore = bringsMoreThanTools(folder);
  const tools = packageTools(folder, { buildAdvice: buildAdvice[source.kind], wantedName, bringsMore }).map(
    ({ fileName, path }) => {
      return { fileName, path: join(fetched.packageDir, path) };
    },
  );
  const { sha256, paths } = hashTree(content);
  const files = ownFiles(paths, fetched.packageDir);
  return {
    ...fetched,
    name: checkedName(fetched.name),
    tools,
    passesCheck: passesCheck(readManifest(folder) ?? {}),
    bringsMore,
    isSingleFile: false,
    sha256,
    files,
  };
}

/** What to do about a package that is not built. */
const buildAdvice = {
  npm: "Its author has to publish the built tool.",
  git: "Clone the repository, build the tool, and add the folder.",
  folder: "Build it, then add it again.",
} as const;

/** The files of the package in a staged folder, which may also have its dependencies and the manifest that npm needed. */
function ownFiles(paths: readonly string[], packageDir: string): string[] {
  const start = packageDir === "" ? "" : `${packageDir}/`;
  const inside = paths.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
  return inside.filter((path) => !path.startsWith("node_modules/"));
}

async function fetchFolder(
  source: Exclude<Source, { kind: "file" }>,
  stage: Stage,
  env: NodeJS.ProcessEnv,
  lock: DependencyLock | undefined,
): Promise<Fetched> {
  const { content } = stage;
  if (source.kind === "npm") return fetchNpm(source.spec, content, env, lock);
  const { member } = source;
  const commit = source.kind === "git" ? await fetchGit(source, content, env) : undefined;
  if (source.kind === "folder") copyTree(member ? packageIn(source.path, member) : source.path, content);
  else if (member) keepOnly(packageIn(content, member), content);
  const manifest = readManifest(content) ?? {};
  const { name, version } = manifest;
  const count = Object.keys(registryDependencies(manifest.dependencies, "the package")).length;
  const locked = count > 0 ? await addDependencies(manifest, stage, env, lock) : undefined;
  const place = source.kind === "git" ? withoutPassword(source.url) : source.path;
  return {
    name: typeof name === "string" ? name : nameOfPlace(member?.name ?? place),
    version: commit?.slice(0, 12) ?? (typeof version === "string" ? version : ""),
    packageDir: "",
    dependencies: count,
    facts: { ...(commit !== undefined && { commit }), ...(locked && { lock: locked }) },
  };
}

/** Replaces a directory with one of its own. */
function keepOnly(folder: string, content: string): void {
  const whole = `${content}.whole`;
  const inside = relative(realPathOf(content), folder);
  renameSync(content, whole);
  renameSync(join(whole, inside), content);
  rmSync(whole, { recursive: true, force: true });
}

/** Fetches the dependencies outside the package, then moves them into it. */
async function addDependencies(
  manifest: Manifest,
  { content, dependencies }: Stage,
  env: NodeJS.ProcessEnv,
  known: DependencyLock | undefined,
): Promise<DependencyLock | undefined> {
  refuseOwnFolders(manifest, content);
  const own = ownLock(content);
  const locked = await fetchDependencies(manifest, { folder: dependencies, env, own, known });
  const target = join(content, "node_modules");
  rmSync(target, { recursive: true, force: true });
  const fetched = join(dependencies, "node_modules");
  if (existsSync(fetched)) renameSync(fetched, target);
  return locked;
}

/** The name for a package without one: its folder's, in valid characters. */
function nameOfPlace(place: string): string {
  return (
    basename(place)
      .replace(/\.git$/, "")
      .replace(/[^\w.~-]+/g, "-")
      .replace(/^[._-]+/, "") || "package"
  );
}

function stageFile(path: string, stage: string, wantedName: string | undefined): StagedPackage {
  if (!statSync(path).isFile()) throw new Refusal(`${path} is neither a file nor a folder.`);
  const fileName = wantedName === undefined ? basename(path) : fileNameFor(wantedName);
  checkFileName(fileName, nameAdvice(wantedName));
  copyFileSync(path, join(stage, fileName));
  chmodSync(join(stage, fileName), 0o755);
  return {
    name: fileName,
    version: "",
    packageDir: "",
    dependencies: 0,
    facts: {},
    tools: [{ fileName, path: fileName }],
    passesCheck: undefined,
    bringsMore: false,
    isSingleFile: true,
    sha256: hashFile(join(stage, fileName)),
    files: [fileName],
  };
}

/** Checks the name, because it becomes the name of a folder. */
function checkedName(name: string): string {
  if (/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name)) return name;
  throw new Refusal(`Expected a valid npm package name, got ${JSON.stringify(name)}.`);
}

/**
 * Checks that no dependency is a workspace of the package. npm would link that folder, and the registry may have a stranger's
 * package of the same name.
 *
 * @throws Refusal if one is.
 */
export function refuseOwnFolders({ workspaces, dependencies }: Manifest, folder: string): void {
  if (workspaces === undefined) return;
  const wanted = new Set(Object.keys((dependencies ?? {}) as object));
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || entry.name !== "package.json" || entry.parentPath.includes("node_modules")) continue;
    const name = nameIn(join(entry.parentPath, entry.name));
    if (name !== undefined && wanted.has(name))
      throw new Refusal(
        `The dependency ${JSON.stringify(name)} of the package is one of its own folders (a workspace). ikigai fetches dependencies from the registry only: ask the author to publish it, or to bundle it into the tool.`,
      );
  }
}

function nameIn(path: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(path, "utf8")) ?? {};
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
