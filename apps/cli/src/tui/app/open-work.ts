// Jobs, agents and services that run beside the conversation, and the notice when a job ends.

import type { AgentEvent } from "@ikigai/agent";
import { type BackgroundJob, type StartedAgent, startedAgents } from "@ikigai/agent/internal";
import { isSystemBash } from "@ikigai/permission";
import { cutStyled, sanitiseLine } from "@ikigai/screen";
import type { Conversation } from "@ikigai/session";
import { redact } from "@ikigai/system";
import type { RunningJob } from "../components/dock.ts";
import { say, type Tui } from "./tui.ts";

/** How often to look while something runs, in milliseconds. Without anything there is no timer. */
const lookMs = 1_000;

/** Notes what a result of a tool has left running. */
export function noteResult(tui: Tui, event: Extract<AgentEvent, { type: "tool_result" }>, args: string): void {
  const started = isSystemBash(event) ? jobIn(event.envelope, args) : undefined;
  look(tui, started ? [...tui.running.jobs, started] : tui.running.jobs);
}

/** Notes what an earlier process left running in this conversation, and what still runs of one that the user has left. */
export function noteEarlier(tui: Tui): void {
  try {
    look(
      tui,
      openJobs(tui).filter(({ isRunning }) => isRunning),
    );
  } catch {
    // The session cannot be read, which is reported elsewhere.
  }
}

/** Updates what runs, and says which jobs have ended. */
function look(tui: Tui, jobs: readonly RunningJob[]): void {
  const { agent, screen } = tui.session;
  const running = jobs.filter((job) => agent.jobs.isRunning(job));
  const agents = openAgents(tui).length;
  const services = agent.spares.services.list().length;
  const { running: before } = tui;
  const isNews = before.jobs.length !== running.length || before.agents !== agents || before.services !== services;
  if (isNews) tui.setRunning({ jobs: running, agents, services });
  // The message to the model says it, too.
  const isTold = ({ pid }: RunningJob) => agent.config.jobs?.wake !== false && agent.jobs.isForModel(pid);
  for (const job of jobs.filter((one) => !running.includes(one) && !isTold(one))) {
    const command = cutStyled(sanitiseLine(job.command), Math.max(16, screen.columns - 24), screen.signs.cut);
    say(tui, tui.theme.style.dim(`job ended: ${command} ${screen.signs.dot} /jobs`));
  }
  clearTimeout(tui.nextLook);
  if (running.length + agents + services === 0) return;
  tui.nextLook = setTimeout(() => look(tui, tui.running.jobs), lookMs).unref();
}

function jobIn(
  envelope: Extract<AgentEvent, { type: "tool_result" }>["envelope"],
  args: string,
): RunningJob | undefined {
  if (!envelope.tool_success) return undefined;
  const { pid, log } = envelope.result;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 2 || typeof log !== "string") return undefined;
  return { pid, command: commandIn(args), startedAt: new Date() };
}

function commandIn(args: string): string {
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === "string" ? command : "";
  } catch {
    return "";
  }
}

/**
 * Has the end of a job start a turn once nothing runs, unless the user does not want that.
 *
 * @param begin runs a turn with this message
 */
export function wakeForJobs(tui: Tui, begin: (text: string) => Promise<void>): void {
  const { jobs, config, secrets } = tui.session.agent;
  if (config.jobs?.wake === false) return;
  const tell = async () => {
    // A turn that ran meanwhile may have told it.
    const news = jobs.takeNews(tui.session.agent.conversation.id);
    if (news.length > 0) await begin(redact(news.join("\n\n"), secrets));
  };
  jobs.whenNews(() => tui.scheduler.runAtRest(tell));
}

/** A job that runs in the background, or has ended. */
export interface OpenJob extends BackgroundJob {
  /** Whether a conversation that the user has left since started it. */
  readonly isEarlier: boolean;
  /** The session that lists it. */
  readonly sessionId: string;
}

/** Notes that the user leaves the conversation. A new one ends neither its jobs nor its agents. */
export function noteLeft(tui: Tui): void {
  const { conversation } = tui.session.agent;
  const others = earlierOf(tui);
  tui.left = hasOpenWork(tui, conversation) ? [...others, conversation] : others;
}

/**
 * Lists the jobs of this conversation, and the running ones of those left before.
 *
 * @throws the system's error if a session cannot be read.
 */
export function openJobs(tui: Tui): OpenJob[] {
  const { conversation, jobs } = tui.session.agent;
  const jobsOf = (one: Conversation) =>
    jobs.of(one).map((job) => ({ ...job, isEarlier: one !== conversation, sessionId: one.id }));
  const own = jobsOf(conversation);
  // A copy of a session has the same jobs.
  const isOther = ({ isRunning, log }: OpenJob) => isRunning && !own.some((job) => job.log === log);
  return [...earlierOf(tui).flatMap(jobsOf).filter(isOther), ...own];
}

/** Lists the running agents for which no call waits, of this conversation and those left before. */
export function openAgents(tui: Tui): StartedAgent[] {
  const { agents, conversation } = tui.session.agent;
  return [...earlierAgents(tui), ...startedAgents(conversation, agents)];
}

/** Lists the running agents of the conversations that were left. */
export function earlierAgents(tui: Tui): StartedAgent[] {
  const { agents } = tui.session.agent;
  return earlierOf(tui).flatMap((conversation) => startedAgents(conversation, agents));
}

/** Ends a background job and shows whether that worked. */
export async function endJob(tui: Tui, job: BackgroundJob): Promise<void> {
  const isGone = await tui.session.agent.jobs.end(job);
  say(
    tui,
    isGone ? `Ended: ${sanitiseLine(job.command)}` : `Could not end: ${sanitiseLine(job.command)} (pid ${job.pid})`,
  );
}

function earlierOf(tui: Tui): readonly Conversation[] {
  return tui.left.filter(({ id }) => id !== tui.session.agent.conversation.id);
}

function hasOpenWork(tui: Tui, conversation: Conversation): boolean {
  const { agents, jobs } = tui.session.agent;
  try {
    const hasJob = jobs.of(conversation).some(({ isRunning }) => isRunning);
    return hasJob || startedAgents(conversation, agents).length > 0;
  } catch {
    // A session that cannot be read is reported elsewhere.
    return false;
  }
}
