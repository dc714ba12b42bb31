// Takes a conversation back to a message, and the files that its calls have named: a copy of each is kept before a call changes it.

import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { TypedCall } from "@ikigai/models";
import { realTarget } from "@ikigai/permission";
import {
  descriptorPath,
  isInside,
  lockFile,
  makePrivateDirectory,
  readRegularFile,
  realPathOf,
  writeAtomically,
} from "@ikigai/system";
import { type Conversation, followTypedCalls } from "../conversation.ts";
import { AgentError, fromSystem } from "../errors.ts";
import type { SessionEvent } from "../log/events.ts";
import { filesDir, isKeptFile } from "../log/log.ts";
import { readAllLines, readKeptLines, readSession } from "../log/read-log.ts";

type Checkpoint = Extract<SessionEvent, { type: "checkpoint" }>;

/** A user message that a conversation can be rewound to. */
export interface UserTurn {
  /** Identifies the line. */
  readonly seq: number;
  readonly time: Date;
  readonly text: string;
  /** The call that the user made, if the text reports one. */
  readonly typed?: TypedCall;
}

/**
 * Returns the user's messages in a conversation, without rewound ones.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export function userTurns(conversation: Conversation): UserTurn[] {
  const turns: UserTurn[] = [];
  const typedIn = followTypedCalls();
  for (const event of readKeptLines(wholeFile(conversation))) {
    const reported = typedIn(event);
    if (event.type !== "user" || event.isOwn) continue;
    const { seq, time, text } = event;
    turns.push({ seq, time: new Date(time), text, ...(reported && { typed: reported.report.typed }) });
  }
  return turns;
}

/**
 * Returns the files that calls naming them have changed since a message. Changes by commands are unknown.
 *
 * @throws as `userTurns` does.
 */
export function changedFiles(conversation: Conversation, to: number): ChangedFile[] {
  const log = wholeFile(conversation);
  const files = new Map<string, { checkpoint: Checkpoint; left: string | null | undefined }>();
  for (const event of readKeptLines(log)) {
    if (event.seq < to) continue;
    const known = "path" in event ? files.get(event.path) : undefined;
    if (event.type === "checkpoint" && !known) files.set(event.path, { checkpoint: event, left: undefined });
    if (event.type === "changed" && known) known.left = event.sha256;
  }
  const places = { projectDir: realPathOf(conversation.cwd), logPath: log.path };
  return [...files].flatMap(([path, { checkpoint, left }]) => {
    const { kept, parent, mode, uid, gid } = checkpoint;
    const now = contentHash(path);
    if (now === (kept === null ? null : contentHash(kept))) return [];
    return [{ path, kept, isChangedSince: left !== undefined && now !== left, parent, mode, uid, gid, ...places }];
  });
}

/**
 * Rewinds a conversation to before a user message. The log keeps everything.
 *
 * @throws as `userTurns` does; AgentError `session_not_saved` if the log cannot be written at the moment.
 */
export function rewindConversation(conversation: Conversation, to: number): void {
  wholeFile(conversation);
  conversation.log.append({ type: "rewind", to });
  const { messages, introduced, measured } = readSession(wholeFile(conversation).path);
  conversation.messages.splice(0, conversation.messages.length, ...messages);
  conversation.introduced.splice(0, conversation.introduced.length, ...introduced);
  conversation.measured = measured;
}

/**
 * Returns the `seq` of the rewind after which there is no message yet: rewinding to it takes it back.
 *
 * @throws as `userTurns` does.
 */
export function lastRewind(conversation: Conversation): number | undefined {
  let last: number | undefined;
  for (const event of readAllLines(wholeFile(conversation))) {
    if (event.type === "rewind") last = event.seq;
    if (event.type === "user") last = undefined;
  }
  return last;
}

/** The file of a conversation, which must have all of it: what is missing there could not be rewound. */
function wholeFile({ log }: Conversation): { readonly path: string; readonly unwritten: readonly [] } {
  log.retry();
  const { path, problem } = log;
  if (path === undefined || problem !== undefined)
    throw new AgentError("session_not_saved", problem ?? "This session is not being saved.");
  return { path, unwritten: [] };
}

/** Larger files are not saved, in bytes: a copy before each edit would fill the disk. */
const maxKeptBytes = 50 * 1_048_576;

/**
 * Saves a file's content before a call changes it. `undefined` if there is nothing to save: the tool changes no file that it
 * names, the session is not saved, the path is not a file, the file exceeds 50 MiB, or the call's sandbox makes it
 * read-only.
 *
 * @throws the system's error if the content cannot be saved.
 */
export function keepCheckpoint(
  { log }: Conversation,
  { id, path }: Pick<Checkpoint, "id" | "path">,
): Checkpoint | undefined {
  if (!log.path) return undefined;
  // Without its directory the call cannot create a file.
  if (!lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return undefined;
  using parent = holdDirectory(dirname(path));
  const place = { type: "checkpoint", id, path, parent: parent.identity } as const;
  const stats = lstatSync(join(parent.path, basename(path)), { throwIfNoEntry: false });
  if (stats === undefined) return { ...place, kept: null };
  if (!stats.isFile() || stats.size > maxKeptBytes) return undefined;
  const directory = filesDir(log.path);
  makePrivateDirectory(directory);
  const kept = join(directory, randomBytes(8).toString("hex"));
  const { mode, uid, gid } = copyFrom(parent, basename(path), kept);
  return { ...place, kept, mode: mode & 0o7777, uid, gid };
}

/** Copies a file that cannot be replaced with a symlink meanwhile. */
function copyFrom(parent: HeldDirectory, name: string, to: string): Stats {
  const path = join(parent.path, name);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    copyFileSync(descriptorPath(fd) ?? path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(to, 0o600);
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns the SHA-256 of a file's content; `null` if it does not exist. */
export function contentHash(path: string): string | null {
  try {
    return createHash("sha256").update(readRegularFile(path)).digest("hex");
  } catch {
    return null;
  }
}

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

/** A directory that stays the same one, even if another takes its name. */
interface HeldDirectory extends Disposable {
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
function holdDirectory(path: string): HeldDirectory {
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
