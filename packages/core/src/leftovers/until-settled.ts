import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolProcess } from "../process/start-process.ts";
import { type EndOptions, type Over, untilOver } from "../process/until-over.ts";
import { callMarks } from "./call-marks.ts";
import { killLeftovers } from "./kill-leftovers.ts";
import { forgetGroup } from "./watchdog.ts";

/** How a process ended. */
export interface End extends Pick<Over, "verdict" | "exit"> {
  /** Whether it ended without our help and left processes behind, which were killed. */
  readonly leftProcesses: boolean;
}

/** When a process is to be ended, and by what its descendants are found. */
export interface SettleOptions extends EndOptions {
  readonly callId: string;
}

/** Waits until a process is over, ends it when it must be ended, and leaves nothing of it behind. */
export async function untilSettled(tool: ToolProcess, { callId, ...options }: SettleOptions): Promise<End> {
  const { verdict, exit, isDrained, leftInGroup } = await untilOver(tool, options);
  const leftElsewhere = await killLeftovers(callMarks(callId), tool.pid);
  // The last reports of progress may still be on their way.
  if (tool.progress) await nextTurn();
  for (const stream of [tool.stdin, tool.stdout, tool.stderr, tool.progress]) stream?.destroy();
  forgetGroup(tool.pid);
  // What holds a sandbox together ends a moment after the tool, and takes with it whatever the tool has left.
  const hasLeft = tool.through === undefined && (leftInGroup || leftElsewhere);
  // After our own kill, members of the group may still be dying.
  const isOwnEnd = verdict === "exited" || verdict === "answered";
  return { verdict, exit, leftProcesses: isOwnEnd && (hasLeft || !isDrained) };
}
