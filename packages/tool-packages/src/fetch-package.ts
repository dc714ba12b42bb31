import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { toolSuffix } from "@ikigai/protocol";
import { withoutPassword } from "@ikigai/system";
import { type DependencyLock, ownLock, registryDependencies } from "./dependency-lock.ts";
import { fetchGit } from "./fetch-git.ts";
import { fetchDependencies, fetchNpm } from "./fetch-npm.ts";
import { checkFileName, type Manifest, type PackagedTool, packageTools, readManifest } from "./package-tools.ts";
import type { Source } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import type { Fetched, Stage } from "./stage.ts";
import { copyTree, hashFile, hashTree, tameTree } from "./tree.ts";

/** A package that is complete in its stage and has been found to be one. */
export interface StagedPackage extends Fetched {
  /** Paths are from the stage. */
  readonly tools: readonly PackagedTool[];
  /** The one file it is, if that is all; otherwise it needs a folder of its own. */
  readonly isSingleFile: boolean;
  /** Of the file, or of all files: see `hashTree`. */
  readonly sha256: string;
  readonly files: number;
}

export interface FetchOptions {
  readonly env: NodeJS.ProcessEnv;
  /** What its only tool is to be called, if not as its file. */
  readonly wantedName?: string | undefined;
  /** What it depended on when it was added. */
  readonly lock?: DependencyLock | undefined;
}

/**
 * Gets what a source names into an empty directory, runs nothing of it, and finds its tools.
 *
 * @throws Refusal when it cannot be had, or is no package of tools.
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
  const found = packageTools(join(content, fetched.packageDir));
  const tools = renamed(found, wantedName).map(({ fileName, path }) => {
    return { fileName, path: join(fetched.packageDir, path) };
  });
  return { ...fetched, name: checkedName(fetched.name), tools, isSingleFile: false, ...hashTree(content) };
}

async function fetchFolder(
  source: Exclude<Source, { kind: "file" }>,
  stage: Stage,
  env: NodeJS.ProcessEnv,
  lock: DependencyLock | undefined,
): Promise<Fetched> {
  const { content } = stage;
  if (source.kind === "npm") return fetchNpm(source.spec, content, env, lock);
  const commit = source.kind === "git" ? await fetchGit(source, content, env) : undefined;
  if (source.kind === "folder") copyTree(source.path, content);
  const manifest = readManifest(content) ?? {};
  const { name, version } = manifest;
  const count = Object.keys(registryDependencies(manifest.dependencies, "the package")).length;
  const locked = count > 0 ? await addDependencies(manifest, stage, env, lock) : undefined;
  const place = source.kind === "git" ? withoutPassword(source.url) : source.path;
  return {
    name: typeof name === "string" ? name : nameOfPlace(place),
    version: commit?.slice(0, 12) ?? (typeof version === "string" ? version : ""),
    packageDir: "",
    dependencies: count,
    facts: { ...(commit !== undefined && { commit }), ...(locked && { lock: locked }) },
  };
}

/** Has the dependencies fetched apart from the package, and puts them beside it. */
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

/** What a package without a name of its own is called: as its folder, in characters that a name may have. */
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
  checkFileName(fileName);
  copyFileSync(path, join(stage, fileName));
  chmodSync(join(stage, fileName), 0o755);
  return {
    name: fileName,
    version: "",
    packageDir: "",
    dependencies: 0,
    facts: {},
    tools: [{ fileName, path: fileName }],
    isSingleFile: true,
    sha256: hashFile(join(stage, fileName)),
    files: 1,
  };
}

/** What a tool's file is called, by what its user or a model calls it. */
export function fileNameFor(name: string): string {
  return name.endsWith(toolSuffix) ? name : `${name.replaceAll("_", "-")}${toolSuffix}`;
}

function renamed(tools: readonly PackagedTool[], wantedName: string | undefined): readonly PackagedTool[] {
  const [only, ...others] = tools;
  if (wantedName === undefined || only === undefined) return tools;
  if (others.length > 0) {
    const names = tools.map(({ fileName }) => fileName).join(", ");
    throw new Refusal(
      `--name needs a package with one tool; this one has ${tools.length}: ${names}. Leave out --name.`,
    );
  }
  const fileName = fileNameFor(wantedName);
  checkFileName(fileName);
  return [{ ...only, fileName }];
}

/** The name becomes a folder's, so it may be nothing but a name. */
function checkedName(name: string): string {
  if (/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name)) return name;
  throw new Refusal(`Expected a valid npm package name, got ${JSON.stringify(name)}.`);
}

/**
 * Makes sure that no dependency is a workspace of the package. npm would link that folder; asked for the name alone, the
 * registry gives the package of whoever has taken it.
 *
 * @throws Refusal when one is.
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
