import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns the user's home directory: HOME, else what the system knows, else the root. `undefined` if HOME is empty or relative:
 * the working directory would decide what it means, and with it a project. Never throws.
 */
export function userHome({ HOME }: NodeJS.ProcessEnv = process.env): string | undefined {
  if (HOME !== undefined) return isAbsolute(HOME) ? HOME : undefined;
  try {
    // An account may have an empty home, too.
    return userInfo().homedir || "/";
  } catch {
    return "/";
  }
}

/** A path as a user wrote it, with a leading `~/` replaced by the home directory, as in a shell. */
export function fromUserHome(path: string, env?: NodeJS.ProcessEnv): string {
  const home = path.startsWith("~/") ? userHome(env) : undefined;
  return home === undefined ? path : join(home, path.slice(2));
}

/**
 * A path as a model wrote it: `~`, `~/x` and `file:///x` become absolute paths, everything else stays. A URL that names no local file
 * stays, too. Never throws.
 */
export function pathAsMeant(path: string, env?: NodeJS.ProcessEnv): string {
  if (path === "~") return userHome(env) ?? path;
  if (!path.startsWith("file:///")) return fromUserHome(path, env);
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}
