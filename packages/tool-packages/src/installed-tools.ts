import { join } from "node:path";
import type { Registry } from "@ikigai/core";
import { readRecord } from "./install-record.ts";
import { type InstalledState, installedState } from "./installed-state.ts";
import { Refusal } from "./refusal.ts";
import { type ProjectPlaces, type ToolRoot, toolRoot } from "./tool-root.ts";

/** Where a tool came from that was added. */
export interface Installed {
  /** The package it came with. */
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly sha256: string;
  readonly state: InstalledState;
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
    const { source, version, sha256, tools } = entry;
    const installed = { package: name, source, version, sha256, state: installedState(entry, root) };
    return Object.keys(tools).map((fileName): [string, Installed] => [join(root.tools, fileName), installed]);
  });
}
