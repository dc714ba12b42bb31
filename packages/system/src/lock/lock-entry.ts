import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { LockBlocked } from "./lock-error.ts";

/** The file or link at a lock's path. */
export interface LockEntry {
  readonly text: string;
  /** Changes whenever the lock is created or refreshed. */
  readonly stamp: string;
  readonly touchedAtMs: number;
}

/** Longest text of a lock, in bytes. */
const maxTextBytes = 256;

/**
 * Creates a lock; returns false if the path exists.
 *
 * @throws the system's error.
 */
export function makeEntry(path: string, text: string): boolean {
  try {
    symlinkSync(text, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    // FAT has no links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    return makeFile(path, text);
  }
}

function makeFile(path: string, text: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, text);
    return true;
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads the entry at a lock's path; `undefined` if the path is free.
 *
 * @throws LockBlocked if it is neither a link nor a file.
 */
export function readEntry(path: string): LockEntry | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isSymbolicLink() && !stats.isFile()) throw new LockBlocked(path, stats.isDirectory());
  const text = readText(path, stats.isFile());
  if (text === undefined) return undefined;
  return { text, stamp: `${stats.ino}.${stats.mtimeNs}.${stats.ctimeNs}`, touchedAtMs: Number(stats.mtimeMs) };
}

/** The text of a lock; `undefined` if it does not exist. */
export function readText(path: string, isFile = false): string | undefined {
  try {
    return isFile ? readHead(path) : readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Replaced by another kind of file meanwhile, or unreadable: a lock with an unknown holder.
    if (code === "EINVAL" && !isFile) return readText(path, true);
    return code === "ENOENT" ? undefined : "";
  }
}

function readHead(path: string): string {
  // It may have been replaced meanwhile: must not block on a FIFO.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return "";
    const bytes = Buffer.alloc(maxTextBytes);
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, maxTextBytes, 0));
  } finally {
    closeSync(fd);
  }
}
