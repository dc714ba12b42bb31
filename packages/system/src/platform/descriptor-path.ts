import { isLinux } from "./platform.ts";

/**
 * A path to what is open as a descriptor of this process, wherever it is moved; `undefined` on macOS, which has none for
 * directories.
 */
export function descriptorPath(descriptor: number): string | undefined {
  return isLinux ? `/proc/${process.pid}/fd/${descriptor}` : undefined;
}
