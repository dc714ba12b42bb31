import { closeSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, openSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realTarget } from "@ikigai/permission";
import { isInside, lockFile, readRegularFile, writeAtomically } from "@ikigai/system";
import { AgentError, fromSystem } from "../agent-error.ts";
import { isKeptFile } from "../session/session-files.ts";
import { type HeldDirectory, holdDirectory } from "./held-directory.ts";

/** A file changed by calls since a message. */
export interface ChangedFile {
  readonly path: string;
  /** The file with its old content; `null` if it did not exist. */
  readonly kept: string | null;
  /** Whether something other than the last call has changed it since. */
  readonly isChangedSince: boolean;
  /** Identifies its directory; absent in old sessions. */
  readonly parent: string | undefined;
  /** Its mode and owner before the first call. */
  readonly mode: number | undefined;
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** The session's working directory, symlinks resolved. */
  readonly projectDir: string;
  /** The session's log. */
  readonly logPath: string;
}

/** Directories that determine what runs. A session that does not identify a file's directory cannot change files in them. */
const protectedNames = [".git", ".ikigai"];

/**
 * Restores a file's old content, or removes a file that did not exist. Works in the very directory that the call used, and
 * only if it is still in its place: a tool may have put a symlink or another directory there, and this process can write
 * where the tool could not.
 *
 * @returns what could not be restored, in sentences.
 * @throws the system's error; AgentError `file_not_restored` if it would be written elsewhere. The file is then unchanged.
 */
export async function restoreFile(file: ChangedFile): Promise<string[]> {
  checkPlace(file);
  try {
    return await restoreInPlace(file);
  } catch (error) {
    throw fromSystem(error, "file_not_restored");
  }
}

async function restoreInPlace(file: ChangedFile): Promise<string[]> {
  const { path, kept } = file;
  using parent = holdParent(file);
  const target = join(parent.path, basename(path));
  using lock = await lockFile(target);
  const now = lstatSync(target, { throwIfNoEntry: false });
  if (now && !now.isFile())
    throw new AgentError("file_not_restored", `${path} is no longer a regular file.${whereKept(file)}`);
  if (kept === null) {
    lock.check();
    if (now) unlinkSync(target);
    return [];
  }
  const bytes = readRegularFile(kept);
  if (!now) makeAsItWas(target, file);
  try {
    return await writeAtomically(lock, bytes);
  } catch (error) {
    if (!now) unlinkSync(target);
    throw error;
  }
}

function checkPlace(file: ChangedFile): void {
  const { path, kept, parent, projectDir, logPath } = file;
  if (kept !== null && !isKeptFile(logPath, kept)) {
    throw new AgentError("file_not_restored", `${kept} is not a copy of this session, so ${path} was not restored.`);
  }
  if (realTarget(path, "/") !== path) {
    throw new AgentError(
      "file_not_restored",
      `The path ${path} now contains a symlink, so the file was not restored.${whereKept(file)}`,
    );
  }
  // Older sessions do not record it.
  const isKnown = parent !== undefined || (isInside(path, projectDir) && !isProtected(path.slice(projectDir.length)));
  if (!isKnown)
    throw new AgentError(
      "file_not_restored",
      `${path} is outside the project, so it was not restored.${whereKept(file)}`,
    );
}

function holdParent(file: ChangedFile): HeldDirectory {
  const directory = dirname(file.path);
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined) {
    throw new AgentError("file_not_restored", `The directory ${directory} no longer exists.${whereKept(file)}`);
  }
  const held = holdDirectory(directory);
  if (file.parent === undefined || held.identity === file.parent) return held;
  held[Symbol.dispose]();
  throw new AgentError(
    "file_not_restored",
    `${directory} is a different directory now, so ${file.path} was not restored.${whereKept(file)}`,
  );
}

/** Creates an empty file with its former mode, before it has any content to read. */
function makeAsItWas(target: string, { mode, uid, gid }: ChangedFile): void {
  const fd = openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    const made = fstatSync(fd);
    const isOwned = (made.uid === uid && made.gid === gid) || canOwn(fd, uid, gid);
    // Permissions of the former group and owner must not pass to others.
    if (mode === undefined) fchmodSync(fd, 0o666 & ~process.umask());
    else fchmodSync(fd, isOwned ? mode : mode & 0o700);
  } finally {
    closeSync(fd);
  }
}

function canOwn(fd: number, uid: number | undefined, gid: number | undefined): boolean {
  if (uid === undefined || gid === undefined) return false;
  try {
    fchownSync(fd, uid, gid);
    return true;
  } catch {
    return false;
  }
}

function isProtected(path: string): boolean {
  return path.split("/").some((name) => protectedNames.includes(name.toLowerCase()));
}

function whereKept({ kept }: ChangedFile): string {
  return kept === null ? "" : ` Its old content is in ${kept}`;
}
