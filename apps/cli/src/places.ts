import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolDirectory } from "@ikigai/core";
import { toolDirectories } from "@ikigai/core";

/** The directories everything is found in. */
export interface Places {
  /** The user's own directory: `~/.ikigai`, or what `IKIGAI_HOME` says. */
  readonly home: string;
  /** Where ikigai was started. */
  readonly projectDir: string;
  /** Where the tools are that ikigai ships. */
  readonly systemDir: string;
  /** All directories of tools, the farthest first. */
  readonly directories: readonly ToolDirectory[];
}

/** Works out the directories from the environment, and from where this file is. */
export function findPlaces(env: NodeJS.ProcessEnv, projectDir: string): Places {
  const home = env.IKIGAI_HOME || join(env.HOME || homedir(), ".ikigai");
  // The build puts the tools beside dist/, in which this file ends up.
  const systemDir = env.IKIGAI_LIBEXEC || fileURLToPath(new URL("../libexec/ikigai", import.meta.url));
  const directories = toolDirectories({ systemDir, home, projectDir, toolPath: env.IKIGAI_TOOL_PATH });
  return { home, projectDir, systemDir, directories };
}

/** A path as people write it: `~` for the home directory. */
export function shortPath(path: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = env.HOME || homedir();
  if (path === home) return "~";
  return home.length > 1 && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
