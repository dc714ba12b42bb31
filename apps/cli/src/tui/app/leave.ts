import { type BackgroundJob, backgroundJobs, endJob } from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { chooseLetter } from "./open-dialog.ts";
import { say } from "./say.ts";
import type { Tui } from "./tui.ts";

/** Ends the session, unless the user would rather look after what still runs in the background. */
export async function leave(tui: Tui): Promise<void> {
  if (await leaveJobs(tui)) tui.leave();
}

/** Asks what becomes of what still runs; false when the user would rather stay. */
async function leaveJobs(tui: Tui): Promise<boolean> {
  const running = runningJobs(tui);
  if (running.length === 0) return true;
  say(
    tui,
    [
      "Still running in the background:",
      ...running.map(({ command, pid }) => `  ${sanitiseLine(command)} (${pid})`),
    ].join("\n"),
  );
  const letter = await chooseLetter(tui, "Leave?   k and let them run   e and end them   esc stay ", "ke");
  if (letter === "e") for (const job of running) await endOne(tui, job);
  return letter !== undefined;
}

function runningJobs({ session }: Tui): BackgroundJob[] {
  try {
    return backgroundJobs(session.agent.conversation).filter(({ isRunning }) => isRunning);
  } catch {
    return [];
  }
}

/** Ends a background job, and says whether it has ended. */
export async function endOne(tui: Tui, job: BackgroundJob): Promise<void> {
  const isGone = await endJob(job);
  say(
    tui,
    isGone ? `Ended: ${sanitiseLine(job.command)}` : `It could not be ended: ${sanitiseLine(job.command)} (${job.pid})`,
  );
}
