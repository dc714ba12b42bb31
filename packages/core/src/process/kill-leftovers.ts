import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process may fork while we look, so we look again until nothing is found; no longer than this, in milliseconds. */
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
  while (sweep(marks, firstPid) && performance.now() < deadlineMs) {
    found = true;
    await sleep(pauseMs);
  }
  return found;
}

function sweep(marks: readonly string[], firstPid: number): boolean {
  const marked = processesSince(firstPid).filter((pid) => isMarked(pid, marks));
  for (const pid of marked) kill(pid);
  return marked.length > 0;
}

/**
 * The numbers of the processes that may have been started since `firstPid` was.
 *
 * Linux counts up, so most often there are none or a few. Once the count has started again from the bottom, all are taken.
 */
function processesSince(firstPid: number): number[] {
  const lastPid = Number(readProcFile("loadavg").split(" ").at(-1));
  const span = lastPid - firstPid;
  if (span >= 0 && span <= maxTried) {
    const numbers = Array.from({ length: span }, (_, index) => firstPid + 1 + index);
    return numbers.filter((pid) => existsSync(`/proc/${pid}`) && !isThread(pid, firstPid));
  }
  const all = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return span >= 0 ? all.filter((pid) => pid > firstPid) : all;
}

/** Threads are counted with the processes, and those of one that is being killed are there for a moment. */
function isThread(id: number, pid: number): boolean {
  return existsSync(`/proc/${id}/task/${pid}`);
}

function isMarked(pid: number, marks: readonly string[]): boolean {
  const environment = readProcFile(`${pid}/environ`);
  // Every entry ends with NUL, so a mark is never taken for a longer one that starts alike.
  return marks.every((mark) => environment.startsWith(`${mark}\0`) || environment.includes(`\0${mark}\0`));
}

/** Empty when there is no such process any more, when it is a zombie, and when it is somebody else's. */
function readProcFile(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
