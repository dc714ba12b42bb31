import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname } from "node:path";
import { systemReason } from "../process/system-reason.ts";
import { privateDirectoryMode } from "./directories.ts";
import { statsOf } from "./paths.ts";

/** The user's directory and a project's have this name. Their parents are not created. */
const ownName = ".ikigai";

/**
 * Creates a directory that only its owner can access, and its parents up to `.ikigai`; a missing home is not created.
 *
 * @throws the system's error, ENOTDIR if a file is in the way; for a home that is missing or cannot be written, it says what to do.
 */
export function makePrivateDirectory(path: string): void {
  const obstacle = obstacleTo(path);
  if (obstacle === undefined) return;
  if (obstacle.code === "EEXIST")
    throw Object.assign(obstacle, {
      code: "ENOTDIR",
      errno: -constants.errno.ENOTDIR,
      message: `${path} is not a directory; move it away, so that ikigai can create it`,
    });
  if (basename(path) === ownName) throw inWords(obstacle, path);
  if ((obstacle.code !== "ENOENT" && obstacle.code !== "ENOTDIR") || dirname(path) === path) throw obstacle;
  makePrivateDirectory(dirname(path));
  const remaining = obstacleTo(path);
  if (remaining !== undefined) throw remaining;
}

/** Creates one directory. Returns the system's error, unless it exists already: another process may have been faster. */
function obstacleTo(path: string): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, { mode: privateDirectoryMode });
    return undefined;
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    return reason.code === "EEXIST" && statsOf(path)?.isDirectory() ? undefined : reason;
  }
}

/** The system's error in words: in a container, the home may be missing or read-only. */
function inWords(error: NodeJS.ErrnoException, path: string): NodeJS.ErrnoException {
  const home = dirname(path);
  const what =
    error.code === "ENOENT"
      ? `the directory ${home} does not exist`
      : error.code === "ENOTDIR"
        ? `${home} is not a directory`
        : `cannot create ${path}: ${systemReason(error)}`;
  return Object.assign(error, { message: `${what}; set HOME or IKIGAI_HOME to a directory that can be written` });
}
