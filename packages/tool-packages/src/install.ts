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
import { dirname, join, relative } from "node:path";
import type { TrustReport } from "@ikigai/core";
import { agreeToNeeds, forgetNeeds, trustFiles } from "@ikigai/core/trust";
import type { ToolNeeds } from "@ikigai/protocol";
import { makeDirectories, temporaryName, withLock } from "@ikigai/system";
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
 * @throws Refusal if a file that ikigai did not add is in the way. The system's error if something cannot be written.
 */
export async function install(
  name: string,
  entry: InstalledPackage,
  { stage, root, places, needsOf }: Installation,
): Promise<void> {
  root.make(places);
  await withLock(root.recordFile, () => {
    const record = root.record();
    const before = record.get(name);
    root.refuseConflicts(name, entry);
    const undo: (() => void)[] = [];
    try {
      if (entry.directory !== undefined) placeFolder(entry.directory, stage, root, undo);
      for (const fileName of Object.keys(entry.tools)) placeTool(fileName, entry, stage, root, undo);
      root.writeRecord(new Map([...record, [name, entry]]));
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    if (before) removeRemains(before, entry, root);
    for (const old of readdirSync(root.tools).filter(isAside)) rmSync(join(root.tools, old), { force: true });
  });
  await agreeToNeeds(
    places.home,
    Object.keys(entry.tools).map((fileName) => {
      return { path: join(root.tools, fileName), schema: { ikigai: { needs: needsOf(fileName) ?? {} } } };
    }),
  );
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
 * @throws the system's error; then nothing has changed.
 */
export async function uninstall(
  name: string,
  entry: InstalledPackage,
  { root, places }: Pick<Installation, "root" | "places">,
): Promise<void> {
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
    removeFolder(entry.directory, root);
  });
  await forgetNeeds(places.home, root.toolPaths(entry));
}

/**
 * Trusts the files that the user added to a project or removed from it, and no others.
 *
 * @param entries the package before and after; does nothing for a user's own tools, which need no trust.
 * @throws the system's error if the decision cannot be stored.
 */
export async function trustInstalled(
  root: ToolRoot,
  { home, projectDir }: ProjectPlaces,
  { name, entries }: { readonly name: string; readonly entries: readonly (InstalledPackage | undefined)[] },
): Promise<TrustReport | undefined> {
  if (root.scope === "user") return undefined;
  const now = entries.at(-1);
  const tools = entries.flatMap((entry) => Object.keys(entry?.tools ?? {}));
  const files = new Set(["tools.json", ...tools.map((fileName) => `tools/${fileName}`)]);
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
