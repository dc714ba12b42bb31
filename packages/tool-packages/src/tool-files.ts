import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ToolDirectory } from "@ikigai/core/internal";
import { toolSuffix } from "@ikigai/protocol";
import { isCalled } from "./find-installed.ts";

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
