import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolProcess } from "../process/start-process.ts";
import { type EndOptions, type Over, untilOver, untilVerdict } from "../process/until-over.ts";
import { callMarks } from "./call-marks.ts";
import { killLeftovers, markedBy } from "./kill-leftovers.ts";
import { forgetGroup } from "./watchdog.ts";

/** How a process ended. */
export interface End extends Pick<Over, "verdict" | "exit"> {
  /** Whether it exited on its own and left processes behind, which were killed. */
  readonly leftProcesses: boolean;
}

/** When to end a process, and the call id that identifies its descendants. */
export interface SettleOptions extends EndOptions {
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
