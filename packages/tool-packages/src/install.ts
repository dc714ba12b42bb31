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
import { trustFiles } from "@ikigai/core/internal";
import { makeDirectories, temporaryName, withLock } from "@ikigai/system";
import type { StagedPackage } from "./fetch-package.ts";
import { type InstalledPackage, readRecord, writeRecord } from "./install-record.ts";
import { toolNameOf } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";
import type { Stage } from "./stage.ts";
import type { ProjectPlaces, ToolRoot } from "./tool-root.ts";
import { hashFile } from "./tree.ts";

/** The number of hash digits in the name of a package's folder. */
const folderDigits = 12;

/** The record entry of a staged package. */
export function entryFor(
  staged: StagedPackage,
  { source, as }: Pick<InstalledPackage, "source" | "as">,
  { content }: Stage,
): InstalledPackage {
  const { version, sha256, facts, tools, isSingleFile, name } = staged;
  const entries = tools.map(({ fileName, path }) => [fileName, { path, sha256: hashFile(join(content, path)) }]);
  return {
    source,
    ...(as !== undefined && { as }),
    version,
    sha256,
    ...facts,
    ...(!isSingleFile && { directory: `${name}/${sha256.slice(0, folderDigits)}` }),
    tools: Object.fromEntries(entries),
  };
}

/**
 * Installs a staged package: its folder, its links and its entry in the record. If anything fails, undoes all of it.
 *
 * @throws Refusal if a file that ikigai did not add is in the way. The system's error if something cannot be written.
 */
export async function install(name: string, entry: InstalledPackage, stage: Stage, root: ToolRoot): Promise<void> {
  for (const directory of [root.path, root.tools]) makeDirectories(directory, root.directoryMode);
  await withLock(root.recordFile, () => {
    const record = readRecord(root);
    const before = record.get(name);
    refuseConflicts(name, entry, root);
    const undo: (() => void)[] = [];
    try {
      if (entry.directory !== undefined) placeFolder(entry.directory, stage, root, undo);
      for (const fileName of Object.keys(entry.tools)) placeTool(fileName, entry, stage, root, undo);
      writeRecord(root, new Map([...record, [name, entry]]));
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    if (before) removeRemains(before, entry, root);
    for (const old of readdirSync(root.tools).filter(isAside)) rmSync(join(root.tools, old), { force: true });
  });
}

/**
 * Checks that the package overwrites only its own files.
 *
 * @throws Refusal if it would overwrite others.
 */
export function refuseConflicts(name: string, { tools }: InstalledPackage, root: ToolRoot): void {
  const record = readRecord(root);
  const own = Object.keys(record.get(name)?.tools ?? {});
  const present = existsSync(root.tools) ? readdirSync(root.tools) : [];
  for (const fileName of Object.keys(tools)) {
    const other = present.find((file) => file.endsWith("-tool") && toolNameOf(file) === toolNameOf(fileName));
    if (other === undefined || own.includes(other)) continue;
    const [owner] = [...record].find(([, entry]) => Object.hasOwn(entry.tools, other)) ?? [];
    const whose = owner === undefined ? "which ikigai did not add" : `which belongs to ${owner}`;
    const flag = root.scope === "project" ? " --project" : "";
    throw new Refusal(
      `${root.tools} already has a tool ${toolNameOf(fileName)}: ${other}, ${whose}. Remove it first: ikigai tool remove ${toolNameOf(other)}${flag}`,
    );
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
export function removeFolder(
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
export async function uninstall(name: string, entry: InstalledPackage, root: ToolRoot): Promise<void> {
  await withLock(root.recordFile, () => {
    const undo: (() => void)[] = [];
    const aside: string[] = [];
    try {
      for (const fileName of Object.keys(entry.tools)) {
        const path = join(root.tools, fileName);
        if (!lstatSync(path, { throwIfNoEntry: false })) continue;
        const old = `${path}.old`;
        renameSync(path, old);
        undo.push(() => renameSync(old, path));
        aside.push(old);
      }
      const record = new Map(readRecord(root));
      record.delete(name);
      if (record.size > 0) writeRecord(root, record);
      else rmSync(root.recordFile, { force: true });
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    for (const old of aside) rmSync(old, { force: true });
    removeFolder(entry.directory, root);
  });
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
