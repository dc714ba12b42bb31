import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isLinux, newestId, processIdsBetween } from "@ikigai/system";
import { mayHaveEnvironment } from "../process/process-stat.ts";

/** Maximum time for repeated sweeps, in milliseconds; processes that hide or appear meanwhile need another one. */
const maxSweepMs = 500;
const pauseMs = 2;

/**
 * Kills all processes whose environment contains all of these marks, in any process group. Returns whether there were any.
 *
 * Linux only: elsewhere other processes' environments are not readable. Does not find processes started with another
 * environment (`env -i`).
 *
 * @param firstPid where the search starts: a process id older than all that are searched for.
 */
export async function killLeftovers(marks: readonly string[], firstPid: number): Promise<boolean> {
  if (!isLinux) return false;
  const deadlineMs = performance.now() + maxSweepMs;
  let found = false;
  let fromPid = firstPid;
  while (performance.now() < deadlineMs) {
    const lastId = newestId();
    const { marked, hidden } = sweep(marks, fromPid, lastId);
    found ||= marked;
    // A process that exited before we saw it may have started another, with a higher id.
    if (!marked && !hidden && newestId() === lastId) break;
    if (!marked && !hidden) fromPid = lastId;
    else await sleep(pauseMs);
  }
  return found;
}

/** Kills marked processes. Returns whether there were any, and whether some processes cannot be judged yet. */
function sweep(marks: readonly string[], fromPid: number, lastId: number) {
  const pids = processIdsBetween(fromPid, lastId);
  const environments = pids.map((pid) => ({ pid, environment: environmentOf(pid) }));
  const marked = environments.filter(({ environment }) => isMarked(environment, marks));
  for (const { pid } of marked) kill(pid);
  return {
    marked: marked.length > 0,
    hidden: environments.some(({ pid, environment }) => environment === "" && mayHaveEnvironment(pid)),
  };
}

function isMarked(environment: string | undefined, marks: readonly string[]): boolean {
  // Every entry ends with NUL, so a mark never matches a longer one with the same start.
  return marks.every((mark) => environment?.startsWith(`${mark}\0`) || environment?.includes(`\0${mark}\0`));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
