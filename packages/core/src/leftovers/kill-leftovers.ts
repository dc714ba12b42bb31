import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { mayHaveEnvironment } from "../process/process-stat.ts";

/** What hides or comes anew while we look makes us look again; no longer than this, in milliseconds. */
const maxSweepMs = 500;
const pauseMs = 2;

/** Up to this many process numbers are tried one by one; beyond, listing /proc is quicker. */
const maxTried = 64;

/**
 * Kills the processes whose environment holds all of these marks, wherever they have gone; says whether there were any.
 *
 * Only Linux lets us see the environment of others. A process that was given another environment (`env -i`) is not found.
 *
 * @param firstPid where the search starts: the number of a process that is older than all that are looked for.
 */
export async function killLeftovers(marks: readonly string[], firstPid: number): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const deadlineMs = performance.now() + maxSweepMs;
  let found = false;
  let fromPid = firstPid;
  while (performance.now() < deadlineMs) {
    const lastPid = newestPid();
    const { marked, hidden } = sweep(marks, fromPid, lastPid);
    found ||= marked;
    // One that we came too late for may have left another, whose number is higher than what we have looked at.
    if (!marked && !hidden && newestPid() === lastPid) break;
    if (!marked && !hidden) fromPid = lastPid;
    else await sleep(pauseMs);
  }
  return found;
}

/** Whether marked processes were found, which are killed now, and processes of which it cannot be told yet. */
function sweep(marks: readonly string[], fromPid: number, lastPid: number) {
  const pids = processesBetween(fromPid, lastPid);
  const environments = pids.map((pid) => ({ pid, environment: readProcFile(`${pid}/environ`) }));
  const marked = environments.filter(({ environment }) => isMarked(environment, marks));
  for (const { pid } of marked) kill(pid);
  return {
    marked: marked.length > 0,
    hidden: environments.some(({ pid, environment }) => environment === "" && mayHaveEnvironment(pid)),
  };
}

/** Linux counts up, until the count starts again from the bottom. */
function newestPid(): number {
  return Number(readProcFile("loadavg")?.split(" ").at(-1) ?? 0);
}

/** The numbers of the processes that may have been started after `fromPid` was: most often none or a few. */
function processesBetween(fromPid: number, lastPid: number): number[] {
  const span = lastPid - fromPid;
  if (span >= 0 && span <= maxTried) {
    const numbers = Array.from({ length: span }, (_, index) => fromPid + 1 + index);
    return numbers.filter((pid) => existsSync(`/proc/${pid}`) && !isThread(pid, fromPid));
  }
  const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return span >= 0 ? all.filter((pid) => pid > fromPid) : all;
}

/** Threads are counted with the processes, and those of one that is being killed are there for a moment. */
function isThread(id: number, pid: number): boolean {
  return existsSync(`/proc/${id}/task/${pid}`);
}

function isMarked(environment: string | undefined, marks: readonly string[]): boolean {
  // Every entry ends with NUL, so a mark is never taken for a longer one that starts alike.
  return marks.every((mark) => environment?.startsWith(`${mark}\0`) || environment?.includes(`\0${mark}\0`));
}

/** Missing when there is no such process any more and when it is somebody else's. */
function readProcFile(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
