import { isLinux } from "../platform/platform.ts";
import { processNamespace } from "../platform/process-namespace.ts";
import { isDeadState, readStat } from "../platform/process-stat.ts";
import { startedByPs } from "../platform/started-by-ps.ts";
import { isAlive } from "../process/is-alive.ts";

/** The process that holds a lock. */
export interface LockHolder {
  readonly pid: number;
  /** Start time in ticks since boot; `-` if the system does not report it. */
  readonly start: string;
  /** Boot id and PID namespace of the process id; `-` on systems with a single namespace, `?` if unknown. */
  readonly namespace: string;
}

/** `hidden`: cannot be determined from here. */
export type HolderState = "running" | "ended" | "hidden";

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
