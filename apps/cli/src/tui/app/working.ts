import { beforeExit } from "@ikigai/system";
import { spinMs } from "../components/render-dock.ts";
import { gitBranch } from "./git-branch.ts";
import { refreshFrame } from "./refresh-context.ts";
import { redraw, type Tui } from "./tui.ts";
import { nameWindow } from "./window.ts";

/** Runs something that Esc and Ctrl-C stop, and that has stopped before the process ends. */
export async function working<Result>(
  tui: Tui,
  activity: string,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  tui.work = { controller, startedMs: performance.now(), activity };
  nameWindow(tui, "*");
  redraw(tui, true);
  // Time passes on the screen also when nothing else does.
  const spin = setInterval(() => redraw(tui), spinMs);
  const work = run(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return work;
  });
  try {
    return await work;
  } finally {
    leave();
    clearInterval(spin);
    tui.work = undefined;
    tui.branch = gitBranch(tui.session.agent.places.projectDir);
    nameWindow(tui, "");
    redraw(tui, true);
    // An answer is followed by a count; a summary, and what was stopped, is not.
    if (!tui.session.agent.conversation.measured) void refreshFrame(tui);
  }
}
