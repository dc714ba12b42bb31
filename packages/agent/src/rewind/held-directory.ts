import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { descriptorPath } from "@ikigai/system";
import { AgentError } from "../agent-error.ts";

/** A directory that stays the same one, even if another takes its name. */
export interface HeldDirectory extends Disposable {
  /** The path to reach its files. On Linux it follows the directory wherever it is moved. */
  readonly path: string;
  /** Identifies the directory. */
  readonly identity: string;
}

/**
 * Opens a directory to work in it.
 *
 * @param path is absolute and without symlinks.
 * @throws the system's error; AgentError `file_not_restored` if the path contains a symlink.
 */
export function holdDirectory(path: string): HeldDirectory {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    const own = descriptorPath(fd);
    // macOS has no path to an open directory, so it can still be replaced for a moment.
    const real = own === undefined ? realpathSync.native(path) : readlinkSync(own);
    if (real !== path) throw new AgentError("file_not_restored", `${path} now leads through a symlink to ${real}`);
    return { path: own ?? path, identity: `${dev}:${ino}`, [Symbol.dispose]: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
