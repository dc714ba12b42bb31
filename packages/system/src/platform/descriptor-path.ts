import { isLinux } from "./platform.ts";

/**
 * Returns a path to the file or directory behind an open descriptor, even if it is moved; `undefined` on macOS, which has
 * no such paths for directories.
 */
export function descriptorPath(descriptor: number): string | undefined {
  return isLinux ? `/proc/${process.pid}/fd/${descriptor}` : undefined;
}
