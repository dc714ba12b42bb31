// Which tools were added, from where, and whether they have changed since.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Registry, ToolDirectory } from "@ikigai/core";
import { toolSuffix } from "@ikigai/protocol";
import { hashFile, hashTree } from "@ikigai/system";
import { Refusal } from "./refusal.ts";
import {
  type InstalledPackage,
  type InstalledState,
  isCalled,
  type ProjectPlaces,
  serverOf,
  ToolRoot,
} from "./tool-root.ts";

/** The origin of an added tool. */
interface Installed {
  /** Its package. */
  readonly package: string;
  readonly source: string;
  /** The MCP server that its package was made for. */
  readonly server: string | undefined;
  readonly version: string;
  readonly sha256: string;
  /** The hash of the changed file or folder; absent if it is the recorded one. */
  readonly currentSha256?: string;
  readonly state: InstalledState;
  /** Whether the user gave its only tool another name. */
  readonly isRenamed: boolean;
}

/** The added tools by path, a package without tools by that of its folder; and the problems of the records, one sentence each. */
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
  for (const root of ToolRoot.ofUser(places)) add(() => root);
  if (trust === "trusted") add(() => ToolRoot.of(places, { isProject: true }));
  return { byPath, problems };
}

function installedIn(root: ToolRoot): [string, Installed][] {
  return [...root.record()].flatMap(([name, entry]) => {
    const { source, version, sha256, as } = entry;
    const state = root.stateOf(entry);
    const current = state === "changed" ? currentHash(entry, root) : sha256;
    const installed = {
      package: name,
      source,
      server: serverOf(entry),
      version,
      sha256,
      state,
      isRenamed: as !== undefined,
      ...(current !== sha256 && { currentSha256: current }),
    };
    const paths = root.toolPaths(entry);
    return (paths.length > 0 ? paths : [root.contentsOf(entry) ?? root.packages]).map((path) => [path, installed]);
  });
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
