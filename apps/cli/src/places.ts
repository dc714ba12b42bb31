import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ToolDirectory, toolDirectories } from "@ikigai/core";

/** The directories everything is found in. */
export interface Places {
  /** The user's own directory: `~/.ikigai`, or what `IKIGAI_HOME` says. */
  readonly home: string;
  /** Where ikigai was started. */
  readonly projectDir: string;
  /** All directories of tools, the farthest first. */
  readonly directories: readonly ToolDirectory[];
}

type Environment = NodeJS.ProcessEnv;

/** Works out the directories from the environment, and from where this file is. */
export function findPlaces(env: Environment, projectDir = workingDirectory(env)): Places {
  const home = env.IKIGAI_HOME || join(homeOf(env), ".ikigai");
  // The build puts the tools beside dist/, in which this file ends up.
  const systemDir = env.IKIGAI_LIBEXEC || fileURLToPath(new URL("../libexec/ikigai", import.meta.url));
  const directories = toolDirectories({ systemDir, home, projectDir, toolPath: env.IKIGAI_TOOL_PATH });
  return { home, projectDir, directories };
}

/** Where ikigai was started, also when that directory has been removed: calls say so then, and the rest works. */
export function workingDirectory(env: Environment): string {
  try {
    return process.cwd();
  } catch {
    return env.PWD || "/";
  }
}

/** The user's home directory; the root for somebody the system does not know. */
export function homeOf(env: Environment): string {
  try {
    return env.HOME || homedir();
  } catch {
    return "/";
  }
}
