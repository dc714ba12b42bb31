import { readFileSync, readlinkSync } from "node:fs";
import { isAlive } from "../process/is-alive.ts";
import { isDeadState, readStat } from "../process/process-stat.ts";
import { startedByPs } from "../process/started-by-ps.ts";

/** Who holds a lock. */
export interface LockHolder {
  readonly pid: number;
  /** When it started, in ticks since boot; `-` where the system does not tell. */
  readonly start: string;
  /** Which process IDs it goes by: boot ID and PID namespace; `-` where there is only one kind, `?` where nobody knows. */
  readonly namespace: string;
}

/** `hidden`: from here nobody can tell. */
export type HolderState = "running" | "ended" | "hidden";

const pattern = /^([1-9]\d*)\.(\d+|-)\.([0-9a-f]+-\d+|-|\?)\.\d+$/;

/** What version 0.1.0 wrote for sessions: process ID and start. */
const olderPattern = /^([1-9]\d*) (\d+)\n$/;

let self: LockHolder | undefined;
let count = 0;

/** What this process writes into a lock. No other lock has the same text, now or later. */
export function newLockText(): string {
  const { pid, start, namespace } = ownHolder();
  return `${pid}.${start}.${namespace}.${++count}`;
}

/** The holder that a lock names; `undefined` when its text is not a lock's. */
export function parseHolder(text: string): LockHolder | undefined {
  const [, olderPid, olderStart = ""] = olderPattern.exec(text) ?? [];
  if (olderPid !== undefined) return { pid: Number(olderPid), start: olderStart, namespace: ownHolder().namespace };
  const [, pid, start = "", namespace = ""] = pattern.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), start, namespace };
}

/**
 * Whether the holder of a lock is running.
 *
 * @param touchedAtMs is when the lock was last made or refreshed: a process that started later is another one.
 */
export function stateOf(holder: LockHolder | undefined, touchedAtMs: number): HolderState {
  if (holder === undefined || holder.namespace === "?" || holder.namespace !== ownHolder().namespace) return "hidden";
  const { pid, start } = holder;
  const stat = readStat(pid);
  if (stat) return !isDeadState(stat.state) && (start === "-" || stat.startTicks === start) ? "running" : "ended";
  if (!isAlive(pid)) return "ended";
  return process.platform === "linux" || isStillTheSame(pid, touchedAtMs) ? "running" : "ended";
}

function ownHolder(): LockHolder {
  self ??= {
    pid: process.pid,
    start: readStat("self")?.startTicks || "-",
    namespace: process.platform === "linux" ? readNamespace() : "-",
  };
  return self;
}

/** Namespaces have numbers that are unique on one machine until it is started again. */
function readNamespace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").replaceAll("-", "").trim();
    const [, inode] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? [];
    return /^[0-9a-f]+$/.test(boot) && inode !== undefined ? `${boot.slice(0, 16)}-${inode}` : "?";
  } catch {
    // Without /proc.
    return "?";
  }
}

/** How much the times of `ps` and of the file system may differ, in milliseconds: `ps` tells whole seconds. */
const toleranceMs = 2_000;

/** Not asked of a fresh lock, since it takes milliseconds. macOS only; not run by the tests on Linux. */
function isStillTheSame(pid: number, touchedAtMs: number): boolean {
  if (Date.now() - touchedAtMs < toleranceMs) return true;
  const startedAtMs = startedByPs(pid)?.getTime();
  return startedAtMs !== undefined && startedAtMs <= touchedAtMs + toleranceMs;
}
