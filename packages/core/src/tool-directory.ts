import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { ToolScope } from "@ikigai/protocol";

/** A directory that tools are looked for in. */
export interface ToolDirectory {
  readonly path: string;
  readonly scope: ToolScope;
}

/** Where the three directories come from. */
export interface ToolDirectoryOptions {
  /** What the host ships; without it there is no system directory. */
  readonly systemDir?: string | undefined;
  /** The user's directory, usually `~/.ikigai`. */
  readonly home: string;
  readonly projectDir: string;
  /** `IKIGAI_TOOL_PATH`: directories of the user's that rank highest, separated by `:`. */
  readonly toolPath?: string | undefined;
}

/** Lists the directories that tools are looked for in, the farthest first: a later one overrides an earlier one. */
export function toolDirectories({ systemDir, home, projectDir, toolPath }: ToolDirectoryOptions): ToolDirectory[] {
  const userDir = join(home, "tools");
  const projectToolsDir = join(projectDir, ".ikigai", "tools");
  const directories: ToolDirectory[] = [];
  if (systemDir) directories.push({ path: systemDir, scope: "system" });
  directories.push({ path: userDir, scope: "user" });
  // Started in the home directory, the user's tools are not the project's as well.
  if (realPath(join(projectDir, ".ikigai")) !== realPath(home)) {
    directories.push({ path: projectToolsDir, scope: "project" });
  }
  for (const path of (toolPath ?? "").split(":")) if (path !== "") directories.push({ path, scope: "user" });
  return directories;
}

/** The path without links, or as it is when there is nothing there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
