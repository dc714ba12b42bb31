import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { AgentError } from "../model/agent-error.ts";

/** A directory that stays the same one, whatever takes its name meanwhile. */
export interface HeldDirectory extends Disposable {
  /** By which its files are reached. On Linux it leads to this directory wherever it is moved. */
  readonly path: string;
  /** Tells it from all others. */
  readonly identity: string;
}

/**
 * Opens a directory to work in it.
 *
 * @param path is absolute and without links.
 * @throws the system's error; AgentError `file_not_restored` when there is a link on the way.
 */
export function holdDirectory(path: string): HeldDirectory {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    const own = `/proc/${process.pid}/fd/${fd}`;
    const isLinux = process.platform === "linux";
    // macOS has no path to an open directory: there a moment remains in which it can be exchanged.
    const real = isLinux ? readlinkSync(own) : realpathSync.native(path);
    if (real !== path) throw new AgentError("file_not_restored", `${path} now leads through a symlink to ${real}`);
    return { path: isLinux ? own : path, identity: `${dev}:${ino}`, [Symbol.dispose]: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
