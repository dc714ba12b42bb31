import { accessSync, constants, lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeDirectories, privateDirectoryMode, userHome } from "@ikigai/system";

/**
 * Returns the directory for pages: `${XDG_CACHE_HOME:-~/.cache}/ikigai/web`, or one in $TMPDIR if that cannot be written. In a sandbox
 * the tool's data directory: other tools there share the rest, and could forge pages. Creates it. `undefined` if none is a directory that
 * only this user can read and change.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv): string | undefined {
  const { IKIGAI_SANDBOX = "", IKIGAI_DATA_DIR } = env;
  const candidates = IKIGAI_SANDBOX === "" ? userDirectories(env) : [IKIGAI_DATA_DIR && join(IKIGAI_DATA_DIR, "web")];
  return candidates.find((path): path is string => path !== undefined && path !== "" && isPrivate(path));
}

function userDirectories(env: NodeJS.ProcessEnv): (string | undefined)[] {
  const { XDG_CACHE_HOME = "" } = env;
  const home = userHome(env);
  const own = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : home && join(home, ".cache");
  return [own && join(own, "ikigai/web"), join(tmpdir(), `ikigai-web-${process.getuid?.() ?? "user"}`)];
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
