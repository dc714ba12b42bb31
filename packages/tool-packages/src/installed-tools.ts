import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Registry, ToolDirectory } from "@ikigai/core";
import { toolSuffix } from "@ikigai/protocol";
import { type InstalledPackage, readRecord } from "./install-record.ts";
import { toolNameOf } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";
import { type ProjectPlaces, type ToolRoot, toolRoot, userRoots } from "./tool-root.ts";
import { hashFile, hashTree } from "./tree.ts";

/** The origin of an added tool. */
export interface Installed {
  /** Its package. */
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly sha256: string;
  /** The hash of the changed file or folder; absent if it is the recorded one. */
  readonly currentSha256?: string;
  readonly state: InstalledState;
  /** Whether the user gave its only tool another name. */
  readonly isRenamed: boolean;
}

/** The added tools by path, and the problems of the records, one sentence each. */
export interface InstalledTools {
  readonly byPath: ReadonlyMap<string, Installed>;
  readonly problems: readonly string[];
}

/** Returns which tools were added, from where, and whether they have changed. A project counts once it is trusted. */
export function installedTools(places: ProjectPlaces, { trust }: Registry): InstalledTools {
  const byPath = new Map<string, Installed>();
  const problems: string[] = [];
  const add = (root: () => ToolRoot) => {
    try {
      for (const [path, installed] of installedIn(root())) byPath.set(path, installed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(error.message);
    }
  };
  for (const root of userRoots(places)) add(() => root);
  if (trust === "trusted") add(() => toolRoot(places, { isProject: true }));
  return { byPath, problems };
}

function installedIn(root: ToolRoot): [string, Installed][] {
  return [...readRecord(root)].flatMap(([name, entry]) => {
    const { source, version, sha256, tools, as } = entry;
    const state = installedState(entry, root);
    const current = state === "changed" ? currentHash(entry, root) : sha256;
    const installed = {
      package: name,
      source,
      version,
      sha256,
      state,
      isRenamed: as !== undefined,
      ...(current !== sha256 && { currentSha256: current }),
    };
    return Object.keys(tools).map((fileName): [string, Installed] => [join(root.tools, fileName), installed]);
  });
}

/** The package with this name, or with a tool of this name, and its entry. */
export function findInstalled(wanted: string, root: ToolRoot): [string, InstalledPackage] | undefined {
  const record = readRecord(root);
  const entry = record.get(wanted);
  if (entry) return [wanted, entry];
  return [...record].find(([, { tools }]) => Object.keys(tools).some((fileName) => isCalled(fileName, wanted)));
}

/** The names of the added tools, each before that of its package. */
export function installedNames(root: ToolRoot): readonly string[] {
  return [...readRecord(root)].flatMap(([name, { tools }]) => [...Object.keys(tools).map(toolNameOf), name]);
}

/** Whether a name, in any of its forms, means this file. */
export function isCalled(fileName: string, wanted: string): boolean {
  return fileName === wanted || toolNameOf(fileName) === wanted.replaceAll("-", "_");
}

/** The state of an added package: unchanged, changed, or with a missing file. */
export type InstalledState = "same" | "changed" | "missing";

/** Compares the files with the hashes of the record. */
export function installedState({ directory, sha256, tools }: InstalledPackage, root: ToolRoot): InstalledState {
  for (const [fileName, tool] of Object.entries(tools)) {
    const path = join(root.tools, fileName);
    if (!lstatSync(path, { throwIfNoEntry: false }) || !statSync(path, { throwIfNoEntry: false })?.isFile())
      return "missing";
    if (hashFile(path) !== tool.sha256) return "changed";
  }
  if (directory === undefined) return "same";
  return hashTree(join(root.packages, directory)).sha256 === sha256 ? "same" : "changed";
}

/** The hash of the package's folder, or of its only file. */
function currentHash({ directory, tools }: InstalledPackage, root: ToolRoot): string {
  const [fileName = ""] = Object.keys(tools);
  return directory === undefined
    ? hashFile(join(root.tools, fileName))
    : hashTree(join(root.packages, directory)).sha256;
}

/** The names of files in a directory that could be tools, including all links. */
export function toolFiles(directory: string): readonly string[] {
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith(toolSuffix))
    .map(({ name }) => name);
}

/** The files in these directories with this tool name. Looks only at names. */
export function toolsCalled(name: string, directories: readonly ToolDirectory[]): readonly ToolDirectory[] {
  return directories.flatMap(({ path, scope }) => {
    const files = toolFiles(path).filter((fileName) => isCalled(fileName, name));
    return files.map((fileName) => ({ path: join(path, fileName), scope }));
  });
}
