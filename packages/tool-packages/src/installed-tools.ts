import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Registry } from "@ikigai/core";
import type { ToolDirectory } from "@ikigai/core/internal";
import { toolSuffix } from "@ikigai/protocol";
import { type InstalledPackage, readRecord } from "./install-record.ts";
import { toolNameOf } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";
import { type ProjectPlaces, type ToolRoot, toolRoot } from "./tool-root.ts";
import { hashFile, hashTree } from "./tree.ts";

/** Where a tool came from that was added. */
export interface Installed {
  /** The package it came with. */
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly sha256: string;
  readonly state: InstalledState;
  /** Whether the user gave its only tool another name. */
  readonly isRenamed: boolean;
}

/** What was added, by the paths of the tools, and what is wrong with the records, a sentence each. */
export interface InstalledTools {
  readonly byPath: ReadonlyMap<string, Installed>;
  readonly problems: readonly string[];
}

/** Tells which tools were added, from where, and whether they are still what they were. A project counts once it is trusted. */
export function installedTools(places: ProjectPlaces, { trust }: Registry): InstalledTools {
  const byPath = new Map<string, Installed>();
  const problems: string[] = [];
  for (const isProject of [false, true]) {
    if (isProject && trust !== "trusted") continue;
    try {
      for (const [path, installed] of installedIn(toolRoot(places, { isProject }))) byPath.set(path, installed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(error.message);
    }
  }
  return { byPath, problems };
}

function installedIn(root: ToolRoot): [string, Installed][] {
  return [...readRecord(root)].flatMap(([name, entry]) => {
    const { source, version, sha256, tools, as } = entry;
    const state = installedState(entry, root);
    const installed = { package: name, source, version, sha256, state, isRenamed: as !== undefined };
    return Object.keys(tools).map((fileName): [string, Installed] => [join(root.tools, fileName), installed]);
  });
}

/** The package of this name, or the one that brought the tool of this name, with its entry. */
export function findInstalled(wanted: string, root: ToolRoot): [string, InstalledPackage] | undefined {
  const record = readRecord(root);
  const entry = record.get(wanted);
  if (entry) return [wanted, entry];
  return [...record].find(([, { tools }]) => Object.keys(tools).some((fileName) => isCalled(fileName, wanted)));
}

/** Whether a tool's file is meant by this name of it: the file's, the model's, or one in between. */
export function isCalled(fileName: string, wanted: string): boolean {
  return fileName === wanted || toolNameOf(fileName) === wanted.replaceAll("-", "_");
}

/** How what was added stands now: as it came, changed since, or without one of its files. */
export type InstalledState = "same" | "changed" | "missing";

/** Compares what is there with the hashes of the record. Runs nothing. */
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

/** The names of the files in a directory that could be tools; links too, wherever they lead. */
export function toolFiles(directory: string): readonly string[] {
  if (!lstatSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith(toolSuffix))
    .map(({ name }) => name);
}

/** The files in these directories that a tool's name may stand for. Looks at names only. */
export function toolsCalled(name: string, directories: readonly ToolDirectory[]): readonly ToolDirectory[] {
  return directories.flatMap(({ path, scope }) => {
    const files = toolFiles(path).filter((fileName) => isCalled(fileName, name));
    return files.map((fileName) => ({ path: join(path, fileName), scope }));
  });
}
