import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, newestId, processIdsBetween } from "@ikigai/system";
import { mayHaveEnvironment } from "../process/process-stat.ts";

/** What hides or comes anew while we look makes us look again; no longer than this, in milliseconds. */
const maxSweepMs = 500;
const pauseMs = 2;

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
    const lastId = newestId();
    const { marked, hidden } = sweep(marks, fromPid, lastId);
    found ||= marked;
    // One that we came too late for may have left another, whose number is higher than what we have looked at.
    if (!marked && !hidden && newestId() === lastId) break;
    if (!marked && !hidden) fromPid = lastId;
    else await sleep(pauseMs);
  }
  return found;
}

/** Whether marked processes were found, which are killed now, and processes of which it cannot be told yet. */
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
  // Every entry ends with NUL, so a mark is never taken for a longer one that starts alike.
  return marks.every((mark) => environment?.startsWith(`${mark}\0`) || environment?.includes(`\0${mark}\0`));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
