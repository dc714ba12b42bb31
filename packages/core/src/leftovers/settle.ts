// The end of a process: waits for it, ends it if it must, and kills everything that it has left behind in any process group. In
// order: the end, the marks by which what is left is found, and the search.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isLinux, newestId, processIdsBetween } from "@ikigai/system";
import { mayHaveEnvironment, type ToolProcess } from "../process/start-process.ts";
import { callMarks, hostCallId } from "../process/tool-command.ts";
import { type EndOptions, type Over, untilOver, untilVerdict } from "../process/until-over.ts";
import { forgetGroup } from "./watchdog.ts";

/** How a process ended. */
export interface End extends Pick<Over, "verdict" | "exit"> {
  /** Whether it exited on its own and left processes behind, which were killed. */
  readonly leftProcesses: boolean;
}

/** When to end a process, and the call id that identifies its descendants. */
interface SettleOptions extends EndOptions {
  readonly callId: string;
}

/** Waits until a process has ended, ends it if it must, and kills everything it left behind. */
export async function untilSettled(tool: ToolProcess, { callId, ...options }: SettleOptions): Promise<End> {
  const verdict = await untilVerdict(tool, options);
  return settle(tool, () => killLeftOf(tool, callId), await untilOver(tool, verdict, options));
}

/** Kills what a call in a process of its own has left in other process groups. Returns whether there was anything. */
export async function killLeftOf({ pid }: ToolProcess, callId: string): Promise<boolean> {
  return (await killLeftovers(markedBy(callMarks(callId)), pid)).found;
}

/** Marks a process that the host starts itself, and what that starts, so that what it leaves behind can be killed. */
export function markedProcess(purpose: string): {
  readonly env: Readonly<Record<string, string>>;
  killLeft(pid: number): Promise<unknown>;
} {
  const marks = callMarks(hostCallId(purpose));
  return {
    env: Object.fromEntries(marks.map((mark) => mark.split("=", 2))),
    killLeft: (pid) => killLeftovers(markedBy(marks), pid),
  };
}

/** Completes the end of a process that is gone. @param killLeft kills what it left elsewhere; returns whether it left anything. */
export async function settle(tool: ToolProcess, killLeft: () => Promise<boolean>, over: Over): Promise<End> {
  const { verdict, exit, isDrained, leftInGroup } = over;
  const leftElsewhere = await killLeft();
  // The last progress reports may still be in the pipe.
  if (tool.progress) await nextTurn();
  for (const stream of [tool.stdin, tool.stdout, tool.stderr, tool.progress]) stream?.destroy();
  forgetGroup(tool.pid);
  // A sandbox ends a moment after the tool and kills whatever the tool has left.
  const hasLeft = tool.through === undefined && (leftInGroup || leftElsewhere);
  // After our own kill, members of the group may still be dying.
  const isOwnEnd = verdict === "exited" || verdict === "answered";
  return { verdict, exit, leftProcesses: isOwnEnd && (hasLeft || !isDrained) };
}

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
type IsLeft = (pid: number, environment: string | undefined) => boolean;

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
interface Killed {
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
