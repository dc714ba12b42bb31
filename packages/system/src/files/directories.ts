import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { constants as systemConstants } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { systemReason } from "../process/system-reason.ts";
import { shellWord } from "../text/words.ts";
import { isInside, realPathOf, statsOf, userHome } from "./paths.ts";

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

/** Whether a path leads to a directory. Never throws. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const refusals = ["EACCES", "EPERM", "EROFS"];

/** Everyone may list it, and no one but root may enter it. */
const closedMode = 0o444;

/**
 * Creates the file (without `content`: the directory) if nothing exists. Returns whether it exists afterwards; false if
 * permission is denied.
 *
 * @param isClosed whether no one may enter the directory.
 * @throws the system's error for other failures.
 */
export function makeIfMissing(
  path: string,
  content?: string,
  { isClosed = false }: { readonly isClosed?: boolean | undefined } = {},
): boolean {
  try {
    if (content === undefined) mkdirSync(path, { mode: isClosed ? closedMode : 0o777 });
    else writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return true;
    if (refusals.includes(code)) return false;
    throw error;
  }
}

/** Whether it is a directory, not a link to one, that no one but root may enter. */
export function isClosedDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && (stats.mode & 0o111) === 0;
}

/** Data about a user is accessible to that user only. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;

/** What the system says about a directory that cannot be written. */
const codes: readonly (string | undefined)[] = ["EACCES", "EPERM", "EROFS"];

/**
 * Says which directory could not be written, and what to do: the end of a sentence. `undefined` for any other error, also for one
 * about a file.
 */
export function unwritableDirectory(error: unknown): string | undefined {
  // A link's text is its path, and a renamed file's destination matters more.
  const { code, path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  if (dest === undefined || !isAbsolute(dest) || !codes.includes(code)) return undefined;
  let above = dirname(dest);
  while (!existsSync(above)) above = dirname(above);
  const directory = [above, ...(statsOf(dest)?.isDirectory() ? [dest] : [])].find((one) => !canWrite(one));
  if (directory === undefined) return undefined;
  const remedies = [
    ...(code === "EACCES" && isOwn(directory) ? [`run chmod u+rwx ${shellWord(directory)}`] : []),
    ...(isInside(directory, ownHome()) ? ["set HOME or IKIGAI_HOME to a directory that can be written"] : []),
  ];
  const what = `${directory} cannot be written: ${systemReason(error as NodeJS.ErrnoException)}`;
  return remedies.length === 0 ? what : `${what}; ${remedies.join(", or ")}`;
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOwn(directory: string): boolean {
  return statSync(directory).uid === process.geteuid?.();
}

function ownHome(): string {
  return process.env.IKIGAI_HOME || join(userHome() ?? "/", ".ikigai");
}

/** The names in a directory; none if it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The user's directory and a project's have this name. Their parents are not created. */
const ownName = ".ikigai";

/**
 * Creates a directory that only its owner can access, and its parents up to `.ikigai`; a missing home is not created.
 *
 * @throws the system's error, ENOTDIR if a file is in the way; for a home that is missing or cannot be written, it says what to do.
 */
export function makePrivateDirectory(path: string): void {
  const obstacle = obstacleTo(path, privateDirectoryMode);
  if (obstacle === undefined) return;
  if (obstacle.code === "EEXIST")
    throw Object.assign(obstacle, {
      code: "ENOTDIR",
      errno: -systemConstants.errno.ENOTDIR,
      message: `${path} is not a directory; move it away, so that ikigai can create it`,
    });
  if (basename(path) === ownName) throw inWords(obstacle, path);
  if ((obstacle.code !== "ENOENT" && obstacle.code !== "ENOTDIR") || dirname(path) === path) throw obstacle;
  makePrivateDirectory(dirname(path));
  const remaining = obstacleTo(path, privateDirectoryMode);
  if (remaining !== undefined) throw remaining;
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

/** As many as make two directories with the same digits impossible in practice. */
const idDigits = 16;

/**
 * Returns the place of the user's own tools, packages and data that count in one directory only. Named after the directory's real path,
 * and outside of it: nothing in a project leads there. Loads the module for hashes.
 */
export function hereDirectory({ home, projectDir }: { readonly home: string; readonly projectDir: string }): string {
  const id = createHash("sha256").update(realPathOf(projectDir)).digest("hex").slice(0, idDigits);
  return join(hereDirectories(home), id);
}

/** Returns the directory of all those places. */
export function hereDirectories(home: string): string {
  return join(resolve(home), "projects");
}
