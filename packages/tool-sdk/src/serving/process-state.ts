// The state of a process between calls: what it notes, and whether a call has changed it.

import { fstatSync, readdirSync, statSync } from "node:fs";
import { childrenOf, isLinux } from "@ikigai/system";

/** The state of this process between calls. */
export interface ProcessState {
  /** Sets the variables of a call. */
  setVariables(env: Readonly<Record<string, string>>): void;
  /** Sets all variables back to what they were. */
  restoreVariables(): void;
  /** What is different from the time the state was noted: the end of a sentence; `undefined` if nothing is. */
  difference(): string | undefined;
}

const descriptorList = isLinux ? "/proc/self/fd" : "/dev/fd";

/** The descriptors that a host shares with the tool: stdin, stdout, stderr and progress. */
const sharedDescriptors = [0, 1, 2, 3];

/** What Node creates when stdout or stderr is first used. Others of these kinds show by their descriptor. */
const standardStreams = new Set(["PipeWrap", "TTYWrap"]);

/** Notes the state of this process: environment, working directory, umask, listeners, timers, handles, descriptors, children. */
export function noteState(): ProcessState {
  const env = { ...process.env };
  const single = readSingle();
  const resources = countResources();
  const descriptors = new Set(openDescriptors().filter(isOpen));
  const watched = watchResources();
  return {
    setVariables: (added) => void Object.assign(process.env, added),
    restoreVariables() {
      for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
      for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
    },
    difference() {
      const now = readSingle();
      const changed = Object.keys(single).find((what) => now[what] !== single[what]);
      if (changed !== undefined) return `${changed} changed`;
      if (watched.hasTimers()) return "a timer is still running";
      const more = [...countResources()].find(([kind, count]) => count > (resources.get(kind) ?? 0));
      if (more !== undefined) return `something is still active: ${more[0]}`;
      if (watched.hasSpawned() && childrenOf(process.pid).length > 0) return "a child process is still running";
      const left = openDescriptors().find((descriptor) => !descriptors.has(descriptor) && isOpen(descriptor));
      return left === undefined ? undefined : `descriptor ${left} is still open`;
    },
  };
}

/** What a process has exactly once, in words. */
function readSingle(): Record<string, string | number | undefined> {
  return {
    "the working directory": process.cwd(),
    "the umask": process.umask(),
    "the exit code": process.exitCode ?? undefined,
    "the listeners of the process": process
      .eventNames()
      .map((name) => `${String(name)} ${process.listenerCount(name)}`)
      .sort()
      .join(),
    "stdin, stdout, stderr or descriptor 3": sharedDescriptors.map(identityOf).join(),
  };
}

function identityOf(descriptor: number): string {
  try {
    const { dev, ino } = fstatSync(descriptor);
    return `${dev}:${ino}`;
  } catch {
    return "closed";
  }
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (!standardStreams.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Whether a listed descriptor is open: the list is read with one that is not any more. /dev/null does not count: Node opens it
 * with its first stream, in reserve for the case that descriptors run out.
 */
function isOpen(descriptor: number): boolean {
  const stats = statSync(`${descriptorList}/${descriptor}`, { throwIfNoEntry: false });
  return stats !== undefined && stats.rdev !== statSync("/dev/null").rdev;
}

/** The open descriptors, and the one that the list is read with; empty without such a list. */
function openDescriptors(): number[] {
  try {
    return readdirSync(descriptorList).map(Number);
  } catch {
    return [];
  }
}

/** What was created since the watch began. */
interface WatchedResources {
  /** Whether a timer is still running. */
  hasTimers(): boolean;
  /** Whether a child process was started. */
  hasSpawned(): boolean;
}

/** How many timers are noted before those that have ended are dropped. */
const pruneEvery = 1_024;

/**
 * Watches timers and child processes, also those that do not keep the process alive (`unref`): they are missing from
 * `process.getActiveResourcesInfo()`.
 */
function watchResources(): WatchedResources {
  // Loaded here, since a process that answers one call does not need it.
  const { createHook } = process.getBuiltinModule("node:async_hooks");
  let timers: WeakRef<object>[] = [];
  let hasSpawned = false;
  const prune = () => {
    timers = timers.filter((timer) => isRunning(timer.deref()));
    return timers.length > 0;
  };
  createHook({
    init(_id, type, _trigger, resource) {
      if (type === "PROCESSWRAP") hasSpawned = true;
      if (type === "Timeout" && timers.push(new WeakRef(resource)) % pruneEvery === 0) prune();
    },
  }).enable();
  return {
    hasTimers: prune,
    hasSpawned: () => hasSpawned,
  };
}

/** Node has no public property for this. Were it renamed, every timer would count as ended. */
function isRunning(timer: object | undefined): boolean {
  return timer !== undefined && "_destroyed" in timer && timer._destroyed === false;
}
