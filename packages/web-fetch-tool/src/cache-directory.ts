import { accessSync, constants, lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeDirectories, privateDirectoryMode, userHome } from "@ikigai/system";

/**
 * Returns the directory for pages: `${XDG_CACHE_HOME:-~/.cache}/ikigai/web`, or one in $TMPDIR if that cannot be written, as in the
 * sandbox. Creates it. `undefined` if neither is a directory that only this user can read and change.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv): string | undefined {
  const { XDG_CACHE_HOME = "" } = env;
  const home = userHome(env);
  const own = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : home && join(home, ".cache");
  const candidates = [own && join(own, "ikigai/web"), join(tmpdir(), `ikigai-web-${process.getuid?.() ?? "user"}`)];
  return candidates.find((path): path is string => path !== undefined && isPrivate(path));
}

/** Whether a directory, created if it is missing, is this user's and closed to others. */
function isPrivate(path: string): boolean {
  try {
    makeDirectories(path, privateDirectoryMode);
    const { uid, mode } = lstatSync(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return lstatSync(path).isDirectory() && uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return false;
  }
}
