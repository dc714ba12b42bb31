import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { hashFile, hashTree } from "./hash-tree.ts";
import type { InstalledPackage } from "./install-record.ts";
import type { ToolRoot } from "./tool-root.ts";

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
