import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a directory and its missing parents, with this mode (default: 0o777 without the umask). Replaces Node's
 * `recursive: true`, which never returns below `/proc` and in a removed working directory: this tries each parent once.
 *
 * @throws the system's error, for example EEXIST if a file is in the way.
 */
export function makeDirectories(path: string, mode = 0o777): void {
  const obstacle = obstacleTo(path, mode);
  if (obstacle === undefined) return;
  if (obstacle.code !== "ENOENT" || dirname(path) === path) throw obstacle;
  makeDirectories(dirname(path), mode);
  const remaining = obstacleTo(path, mode);
  if (remaining !== undefined) throw remaining;
}

/** Creates one directory. Returns the system's error if it is missing afterwards. */
function obstacleTo(path: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, { mode });
    return undefined;
  } catch (error) {
    return isDirectory(path) ? undefined : (error as NodeJS.ErrnoException);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
