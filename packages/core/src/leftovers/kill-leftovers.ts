import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isLinux, newestId, processIdsBetween } from "@ikigai/system";
import { mayHaveEnvironment } from "../process/process-group.ts";

/** Maximum time for repeated sweeps, in milliseconds; processes that hide or appear meanwhile need another one. */
const maxSweepMs = 500;
const pauseMs = 2;

/** How often new processes are looked at without a pause. */
const maxRounds = 10;

/**
 * Returns whether a process was left behind.
 *
 * @param environment `NAME=VALUE`, each followed by NUL; `undefined` if it cannot be read.
 */
export type IsLeft = (pid: number, environment: string | undefined) => boolean;

/** Selects the processes whose environment contains all of these marks. */
export function markedBy(marks: readonly string[]): IsLeft {
  return (_pid, environment) => marks.every((mark) => hasMark(environment, mark));
}

/** Whether an environment has this entry, `NAME=VALUE`. */
export function hasMark(environment: string | undefined, mark: string): boolean {
  // Every entry ends with NUL, so a mark never matches a longer one with the same start.
  return environment?.startsWith(`${mark}\0`) === true || environment?.includes(`\0${mark}\0`) === true;
}

/** What a search with kills has shown. */
export interface Killed {
  /** Whether a process was left behind. */
  readonly found: boolean;
  /** Up to this process id nothing is left; `undefined` if that could not be determined in time. */
  readonly clearTo: number | undefined;
}

/**
 * Kills all processes that were left behind, in any process group.
 *
 * Linux only: elsewhere other processes' environments are not readable. Does not find processes started with another
 * environment (`env -i`), unless `isLeft` knows them by something else.
 *
 * @param firstPid where the search starts: a process id older than all that are searched for.
 */
export async function killLeftovers(isLeft: IsLeft, firstPid: number): Promise<Killed> {
  if (!isLinux) return { found: false, clearTo: undefined };
  const deadlineMs = performance.now() + maxSweepMs;
  let found = false;
  let fromPid = firstPid;
  while (performance.now() < deadlineMs) {
    const lastId = newestId();
    const { left, isHidden } = sweep(isLeft, fromPid, lastId);
    for (const pid of left) kill(pid);
    found ||= left.length > 0;
    const isClear = left.length === 0 && !isHidden;
    // A process that exited before we saw it may have started another, with a higher id.
    if (isClear && newestId() === lastId) return { found, clearTo: lastId };
    if (isClear) fromPid = lastId;
    else await sleep(pauseMs);
  }
  return { found, clearTo: undefined };
}

/** Kills the processes left behind that can be seen now. */
export function killLeftoversNow(isLeft: IsLeft, firstPid: number): void {
  if (isLinux) for (const pid of sweep(isLeft, firstPid, newestId()).left) kill(pid);
}

/** Returns the newest process id if nothing was left behind; `undefined` if something was, or if that cannot be determined. */
export function clearUpTo(isLeft: IsLeft, firstPid: number): number | undefined {
  let fromPid = firstPid;
  for (let round = 0; round < maxRounds; round++) {
    const lastId = newestId();
    const { left, isHidden } = sweep(isLeft, fromPid, lastId);
    if (lastId === 0 || left.length > 0 || isHidden) return undefined;
    if (newestId() === lastId) return lastId;
    fromPid = lastId;
  }
  return undefined;
}

/** Returns the processes left behind, and whether some processes cannot be judged yet. */
function sweep(isLeft: IsLeft, fromPid: number, lastId: number) {
  const pids = processIdsBetween(fromPid, lastId);
  const environments = pids.map((pid) => ({ pid, environment: environmentOf(pid) }));
  return {
    left: environments.filter(({ pid, environment }) => isLeft(pid, environment)).map(({ pid }) => pid),
    isHidden: environments.some(({ pid, environment }) => environment === "" && mayHaveEnvironment(pid)),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
