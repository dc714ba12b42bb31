import { type InstalledPackage, readRecord } from "./install-record.ts";
import { toolNameOf } from "./package-tools.ts";
import type { ToolRoot } from "./tool-root.ts";

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
