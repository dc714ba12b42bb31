import { leaveJobs } from "../commands/jobs.ts";
import type { Tui } from "./tui.ts";

/** Ends the session, unless the user would rather look after what still runs in the background. */
export async function leave(tui: Tui): Promise<void> {
  if (await leaveJobs(tui)) tui.leave();
}
