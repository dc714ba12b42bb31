import { beforeExit } from "@ikigai/system";
import { spinMs, stillMs } from "../components/render-dock.ts";
import { gitBranch } from "./git-branch.ts";
import { refreshFrame } from "./render-screen.ts";
import type { Tui } from "./tui.ts";
import { nameWindow, showProgress } from "./window.ts";

/** Runs work that Esc and Ctrl-C stop, and that stops before the process exits. */
export async function working<Result>(
  tui: Tui,
  activity: string,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  tui.focus.release("command");
  tui.beginWork({ abort: () => controller.abort(), startedMs: performance.now(), activity });
  nameWindow(tui, "*");
  showProgress(tui, true);
  const isStill = tui.session.agent.config.screen?.motion === "reduced";
  // Keeps the spinner and the clock moving.
  const spin = setInterval(() => tui.redraw(), isStill ? stillMs : spinMs);
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
    tui.focus.release("question");
    tui.endWork(gitBranch(tui.session.agent.places.projectDir));
    nameWindow(tui, "");
    showProgress(tui, false);
    if (tui.session.agent.config.screen?.status !== undefined)
      void import("./status-line.ts").then(({ updateStatus }) => updateStatus(tui));
    // An answer reports its tokens; a summary and an interrupted turn do not.
    if (!tui.session.agent.conversation.measured) void refreshFrame(tui);
  }
}
