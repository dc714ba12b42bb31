// Puts a staged package in its place, and removes it: its folder, its links, its entry in the record, and what the user agreed to for it.
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { TrustReport } from "@ikigai/core";
import { broughtFolders } from "@ikigai/core/internal";
import { agreeToNeeds, forgetNeeds, trustFiles } from "@ikigai/core/trust";
import type { ToolNeeds } from "@ikigai/protocol";
import { entriesOf, isDirectory, isInside, makeDirectories, readLink, temporaryName, withLock } from "@ikigai/system";
import { Refusal } from "./refusal.ts";
import type { Stage } from "./stage.ts";
import type { InstalledPackage, ProjectPlaces, ToolRoot } from "./tool-root.ts";

/** Where a package goes, and what is known about it. */
export interface Installation {
  readonly stage: Stage;
  readonly root: ToolRoot;
  readonly places: ProjectPlaces;
  /** What the tool with this file name needs in the sandbox, to which the user has agreed. */
  readonly needsOf: (fileName: string) => ToolNeeds | undefined;
}

/**
 * Installs a staged package: its folder, its links and its entry in the record. If anything fails, undoes all of it.
 *
 * @returns the paths of the links to its parts, old and new, in the project's directory.
 * @throws Refusal if a file that ikigai did not add is in the way. The system's error if something cannot be written.
 */
export async function install(
  name: string,
  entry: InstalledPackage,
  { stage, root, places, needsOf }: Installation,
): Promise<readonly string[]> {
  root.make(places);
  const partsNow = partsIn(entry, stage, root);
  let parts = partsNow;
  await withLock(root.recordFile, () => {
    const record = root.record();
    const before = record.get(name);
    parts = [...partLinks(before, root), ...partsNow];
    root.refuseConflicts(name, entry);
    const undo: (() => void)[] = [];
    refuseTakenParts(entry, before, stage, root);
    try {
      if (entry.directory !== undefined) placeFolder(entry.directory, stage, root, undo);
      for (const fileName of Object.keys(entry.tools)) placeTool(fileName, entry, stage, root, undo);
      for (const path of partsNow) placePart(path, entry, root, undo);
      root.writeRecord(new Map([...record, [name, entry]]));
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    if (before) removeRemains(before, entry, root);
    removeParts(
      parts.filter((path) => !partsNow.includes(path)),
      root,
    );
    for (const old of readdirSync(root.tools).filter(isAside)) rmSync(join(root.tools, old), { force: true });
  });
  await agreeToNeeds(
    places.home,
    Object.keys(entry.tools).map((fileName) => {
      return { path: join(root.tools, fileName), schema: { ikigai: { needs: needsOf(fileName) ?? {} } } };
    }),
  );
  return parts;
}

/* The skills, hooks, commands and agents of a project's package are links at the same paths in `.ikigai/`, so that they are found,
   trusted and committed as the project's own. Those of the user's packages are found in the packages. */

/** The files of skills, hooks, commands and agents below a folder. */
function partsBelow(folder: string): string[] {
  return broughtFolders.flatMap((kind) => {
    const directory = join(folder, kind);
    return isDirectory(directory) ? entriesOf(directory).map((path) => join(kind, path)) : [];
  });
}

function partsIn({ folder }: InstalledPackage, { content }: Stage, { scope }: ToolRoot): string[] {
  return scope === "user" || folder === undefined ? [] : partsBelow(join(content, folder));
}

/** The links into a package of the project. */
function partLinks(entry: InstalledPackage | undefined, root: ToolRoot): string[] {
  if (root.scope === "user" || entry?.folder === undefined || entry.directory === undefined) return [];
  const place = join(root.packages, entry.directory);
  return partsBelow(root.path).filter((path) => {
    const link = join(root.path, path);
    const isLink = lstatSync(link).isSymbolicLink();
    return isLink && isInside(resolve(dirname(link), readLink(link)), place);
  });
}

/**
 * Checks that the links to a package's parts overwrite only those of its earlier version.
 *
 * @throws Refusal if they would overwrite other files.
 */
export function refuseTakenParts(
  entry: InstalledPackage,
  before: InstalledPackage | undefined,
  stage: Stage,
  root: ToolRoot,
): void {
  const own = partLinks(before, root);
  const taken = partsIn(entry, stage, root).find(
    (path) => !own.includes(path) && lstatSync(join(root.path, path), { throwIfNoEntry: false }),
  );
  if (taken !== undefined)
    throw new Refusal(
      `${join(root.path, taken)} exists, and the package brings one, too. Remove or rename it, or add the package without --project.`,
    );
}

function placePart(
  path: string,
  { directory = "", folder = "" }: InstalledPackage,
  root: ToolRoot,
  undo: (() => void)[],
) {
  const link = join(root.path, path);
  const old = lstatSync(link, { throwIfNoEntry: false }) && readLink(link);
  makeDirectories(dirname(link), root.directoryMode);
  undo.push(() => (old === undefined ? removeParts([path], root) : placeLink(old, link)));
  placeLink(relative(dirname(link), join(root.packages, directory, folder, path)), link);
}

function placeLink(target: string, link: string): void {
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

function removeParts(paths: readonly string[], root: ToolRoot): void {
  for (const path of paths) {
    rmSync(join(root.path, path), { force: true });
    removeEmpty(dirname(join(root.path, path)), join(root.path, path.split("/")[0] ?? ""));
  }
}

function placeFolder(directory: string, { content }: Stage, root: ToolRoot, undo: (() => void)[]): void {
  const target = join(root.packages, directory);
  makeDirectories(dirname(target), root.directoryMode);
  undo.push(() => removeEmpty(dirname(target), root.packages));
  // The same content, or an edited copy of it.
  if (existsSync(target)) moveAside(target, undo);
  undo.push(() => rmSync(target, { recursive: true, force: true }));
  try {
    renameSync(content, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    cpSync(content, target, { recursive: true, verbatimSymlinks: true });
  }
}

function placeTool(
  fileName: string,
  entry: InstalledPackage,
  { content }: Stage,
  root: ToolRoot,
  undo: (() => void)[],
): void {
  const path = join(root.tools, fileName);
  const { path: inner = "" } = entry.tools[fileName] ?? {};
  // The suffix hides it from discovery.
  const fresh = temporaryName(path);
  undo.push(() => rmSync(fresh, { force: true }));
  if (entry.directory === undefined) copyFileSync(join(content, inner), fresh);
  // Relative, so that a project can be moved and committed.
  else symlinkSync(relative(root.tools, join(root.packages, entry.directory, inner)), fresh);
  if (lstatSync(path, { throwIfNoEntry: false })) keepOld(path, undo);
  else undo.push(() => rmSync(path, { force: true }));
  renameSync(fresh, path);
}

const asideSuffix = ".old";

function isAside(name: string): boolean {
  return name.endsWith(`-tool${asideSuffix}`);
}

/** Links the existing file under a second name, to restore it in one step. The file is never missing meanwhile. */
function keepOld(path: string, undo: (() => void)[]): void {
  const old = `${path}${asideSuffix}`;
  rmSync(old, { force: true });
  cpSync(path, old, { verbatimSymlinks: true });
  undo.push(() => renameSync(old, path));
}

function moveAside(directory: string, undo: (() => void)[]): void {
  const old = `${directory}${asideSuffix}`;
  rmSync(old, { recursive: true, force: true });
  renameSync(directory, old);
  undo.push(() => renameSync(old, directory));
}

/** Removes what only the previous version had. Nothing uses it any more. */
function removeRemains(before: InstalledPackage, entry: InstalledPackage, root: ToolRoot): void {
  for (const fileName of Object.keys(before.tools)) {
    if (!Object.hasOwn(entry.tools, fileName)) rmSync(join(root.tools, fileName), { force: true });
  }
  removeFolder(before.directory, root, { unless: entry.directory });
  if (entry.directory !== undefined)
    rmSync(`${join(root.packages, entry.directory)}${asideSuffix}`, { recursive: true, force: true });
}

/** Removes a package's folder, and its parents if they are then empty. */
function removeFolder(
  directory: string | undefined,
  root: ToolRoot,
  { unless }: { readonly unless?: string | undefined } = {},
): void {
  if (directory === undefined || directory === unless) return;
  const path = join(root.packages, directory);
  rmSync(path, { recursive: true, force: true });
  removeEmpty(dirname(path), root.packages);
}

function removeEmpty(directory: string, top: string): void {
  for (let place = directory; place.startsWith(top); place = dirname(place)) {
    try {
      rmdirSync(place);
    } catch {
      return;
    }
  }
}

/**
 * Removes an added package: first its links, so that no broken tool is left, then its folder.
 *
 * @returns the paths of the links to its parts in the project's directory.
 * @throws the system's error; then nothing has changed.
 */
export async function uninstall(
  name: string,
  entry: InstalledPackage,
  { root, places }: Pick<Installation, "root" | "places">,
): Promise<readonly string[]> {
  const parts = partLinks(entry, root);
  await withLock(root.recordFile, () => {
    const undo: (() => void)[] = [];
    const aside: string[] = [];
    try {
      for (const path of root.toolPaths(entry)) {
        if (!lstatSync(path, { throwIfNoEntry: false })) continue;
        const old = `${path}${asideSuffix}`;
        renameSync(path, old);
        undo.push(() => renameSync(old, path));
        aside.push(old);
      }
      const record = new Map(root.record());
      record.delete(name);
      root.writeRecord(record);
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    for (const old of aside) rmSync(old, { force: true });
    removeParts(parts, root);
    removeFolder(entry.directory, root);
  });
  await forgetNeeds(places.home, root.toolPaths(entry));
  return parts;
}

/**
 * Trusts the files that the user added to a project or removed from it, and no others.
 *
 * Does nothing for a user's own tools, which need no trust.
 *
 * @throws the system's error if the decision cannot be stored.
 */
export async function trustInstalled(
  root: ToolRoot,
  { home, projectDir }: ProjectPlaces,
  { name, entries, parts = [] }: InstalledFiles,
): Promise<TrustReport | undefined> {
  if (root.scope === "user") return undefined;
  const now = entries.at(-1);
  const tools = entries.flatMap((entry) => Object.keys(entry?.tools ?? {}));
  const files = new Set(["tools.json", ...tools.map((fileName) => `tools/${fileName}`), ...parts]);
  const folder = now?.directory === undefined ? undefined : `packages/${now.directory}/`;
  return trustFiles({
    home,
    projectDir,
    isOurs(path) {
      if (files.has(path) || (folder !== undefined && path.startsWith(folder))) return true;
      // Removed files.
      return path.startsWith(`packages/${name}/`) && !existsSync(join(root.path, path));
    },
  });
}

/** The files of a package that was added or removed. */
interface InstalledFiles {
  readonly name: string;
  /** The package before and after. */
  readonly entries: readonly (InstalledPackage | undefined)[];
  /** The links to its parts, before and after. */
  readonly parts?: readonly string[];
}
