// Leaving ikigai: asks about what runs in the background, then quits. What ends with ikigai is named before.

import { sanitiseLine } from "@ikigai/screen";
import { agentTitle, endOne as endAgent } from "../../session/commands/state-commands.ts";
import { endsWithIkigai } from "../../session/work-left.ts";
import { chooseLetter } from "./open-dialog.ts";
import { endJob, type OpenJob, openAgents, openJobs } from "./open-work.ts";
import { say, type Tui } from "./tui.ts";

/** Quits, unless background jobs run and the user cancels. */
export async function leave(tui: Tui): Promise<void> {
  const answer = leaveJobs(tui);
  tui.focus.expect(answer);
  if (await answer) tui.leave();
}

/** Asks what to do with running jobs and agents; false if the user cancels. Jobs in the sandbox end with ikigai. */
async function leaveJobs(tui: Tui): Promise<boolean> {
  const jobs = runningJobs(tui);
  const staying = jobs.filter(({ isInSandbox }) => !isInSandbox).map((job) => runningJob(tui, job));
  const running = [...staying, ...runningAgents(tui)];
  const ending = jobs.filter(({ isInSandbox }) => isInSandbox).map((job) => sanitiseLine(endsWithIkigai(job)));
  if (running.length + ending.length === 0) return true;
  const titles = running.map(({ title }) => `  ${title}`);
  say(tui, [...ending, ...(titles.length > 0 ? ["Still running in the background:", ...titles] : [])].join("\n"));
  const question = `Quit?   ${running.length > 0 ? "k keep running   e end them" : "y end and quit"}   esc cancel `;
  const letter = await chooseLetter(tui, question, running.length > 0 ? "ken" : "yn", { again: "ctrl+d" });
  if (letter === "e") for (const { end } of running) await end();
  if (letter === "k") for (const job of tui.session.agent.jobs.jobs.running()) if (!job.isInSandbox) job.letGo();
  return letter !== undefined && letter !== "n";
}

/** Something that would go on in the background. */
interface Running {
  readonly title: string;
  readonly end: () => Promise<void>;
}

function runningJobs(tui: Tui): OpenJob[] {
  try {
    return openJobs(tui).filter(({ isRunning }) => isRunning);
  } catch {
    return [];
  }
}

function runningJob(tui: Tui, job: OpenJob): Running {
  return { title: jobTitle(job), end: () => endJob(tui, job) };
}

function jobTitle({ command, pid, isEarlier, sessionId }: OpenJob): string {
  const place = isEarlier ? `; listed in its session: ikigai --resume ${sessionId}` : "";
  return `${sanitiseLine(command)} (pid ${pid}${place})`;
}

function runningAgents(tui: Tui): Running[] {
  return openAgents(tui).map((agent) => ({
    title: `agent ${agentTitle(agent)}`,
    end: async () => say(tui, await endAgent(agent)),
  }));
}
