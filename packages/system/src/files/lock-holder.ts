// Who holds a lock: the text that names a process, whether that process still runs, also in another namespace, and the entry that has it.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { lockBlocked } from "../errors.ts";
import { isAlive, isDeadState, isLinux, readStat, startedByPs } from "../platform.ts";

/** The process that holds a lock. */
interface LockHolder {
  readonly pid: number;
  /** Start time in ticks since boot; `-` if the system does not report it. */
  readonly start: string;
  /** Boot id and PID namespace of the process id; `-` on systems with a single namespace, `?` if unknown. */
  readonly namespace: string;
}

/** `hidden`: cannot be determined from here. */
type HolderState = "running" | "ended" | "hidden";

const pattern = /^([1-9]\d*)\.(\d+|-)\.([0-9a-f]+-\d+|-|\?)\.\d+$/;

let self: LockHolder | undefined;
let count = 0;

/** The text this process writes into a new lock. No two locks have the same text. */
export function newLockText(): string {
  const { pid, start, namespace } = ownHolder();
  return `${pid}.${start}.${namespace}.${++count}`;
}

/** Parses a lock's text; `undefined` if it has another format. */
export function parseHolder(text: string): LockHolder | undefined {
  const [, pid, start = "", namespace = ""] = pattern.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), start, namespace };
}

/**
 * Returns whether a lock's holder is running.
 *
 * @param touchedAtMs when the lock was last created or refreshed: a process that started later is a different one.
 */
export function stateOf(holder: LockHolder | undefined, touchedAtMs: number): HolderState {
  if (holder === undefined || holder.namespace === "?" || holder.namespace !== ownHolder().namespace) return "hidden";
  const { pid, start } = holder;
  const stat = readStat(pid);
  if (stat) return !isDeadState(stat.state) && (start === "-" || stat.startTicks === start) ? "running" : "ended";
  if (!isAlive(pid)) return "ended";
  return isLinux || isStillTheSame(pid, touchedAtMs) ? "running" : "ended";
}

function ownHolder(): LockHolder {
  self ??= {
    pid: process.pid,
    start: readStat("self")?.startTicks || "-",
    namespace: processNamespace(),
  };
  return self;
}

/** How much the clocks of `ps` and the file system may differ, in milliseconds: `ps` reports whole seconds. */
const toleranceMs = 2_000;

/** Skipped for a fresh lock, since it takes milliseconds. macOS only; not covered by tests on Linux. */
function isStillTheSame(pid: number, touchedAtMs: number): boolean {
  if (Date.now() - touchedAtMs < toleranceMs) return true;
  const startedAtMs = startedByPs(pid)?.getTime();
  return startedAtMs !== undefined && startedAtMs <= touchedAtMs + toleranceMs;
}

/**
 * Identifies the process ids that this process sees: boot id and PID namespace, unique on a machine until it reboots; `-` on
 * systems with a single namespace, `?` if `/proc` is not readable.
 */
function processNamespace(): string {
  if (!isLinux) return "-";
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").replaceAll("-", "").trim();
    const [, inode] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? [];
    return /^[0-9a-f]+$/.test(boot) && inode !== undefined ? `${boot.slice(0, 16)}-${inode}` : "?";
  } catch {
    return "?";
  }
}

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
 * @throws LockError `blocked` if it is neither a link nor a file.
 */
export function readEntry(path: string): LockEntry | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isSymbolicLink() && !stats.isFile()) throw lockBlocked(path, stats.isDirectory());
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
