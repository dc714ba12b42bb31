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

/** What is in a lock's place. */
export interface LockEntry {
  readonly text: string;
  /** Differs whenever the lock was made or refreshed. */
  readonly stamp: string;
  readonly touchedAtMs: number;
}

/** No lock's text is longer, in bytes. */
const maxTextBytes = 256;

/**
 * Makes a lock; false when something is in its place.
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
 * What is in a lock's place; `undefined` when it is free.
 *
 * @throws LockBlocked when it is neither a link nor a file.
 */
export function readEntry(path: string): LockEntry | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isSymbolicLink() && !stats.isFile()) throw new LockBlocked(path, stats.isDirectory());
  const text = readText(path, stats.isFile());
  if (text === undefined) return undefined;
  return { text, stamp: `${stats.ino}.${stats.mtimeNs}.${stats.ctimeNs}`, touchedAtMs: Number(stats.mtimeMs) };
}

/** The text of a lock, if it is there. */
export function readText(path: string, isFile = false): string | undefined {
  try {
    return isFile ? readHead(path) : readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has become another kind of file meanwhile, or is one that cannot be read: a lock of nobody we know.
    if (code === "EINVAL" && !isFile) return readText(path, true);
    return code === "ENOENT" ? undefined : "";
  }
}

function readHead(path: string): string {
  // Something else may be there by now: a FIFO must not keep anybody waiting.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return "";
    const bytes = Buffer.alloc(maxTextBytes);
    return bytes.toString("latin1", 0, readSync(fd, bytes, 0, maxTextBytes, 0));
  } finally {
    closeSync(fd);
  }
}
