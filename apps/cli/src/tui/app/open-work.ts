import {
  type BackgroundJob,
  backgroundAgents,
  backgroundJobs,
  type Conversation,
  type StartedAgent,
} from "@ikigai/agent/internal";
import type { Tui } from "./tui.ts";

/** A job that runs in the background, or has ended. */
export interface OpenJob extends BackgroundJob {
  /** Whether a conversation that the user has left since started it. */
  readonly isEarlier: boolean;
  /** The session that lists it. */
  readonly sessionId: string;
}

/** The conversations that were left while their jobs or agents ran. A new conversation ends neither. */
const left = new WeakMap<Tui, readonly Conversation[]>();

/** Notes that the user leaves the conversation. */
export function noteLeft(tui: Tui): void {
  const { conversation } = tui.session.agent;
  const others = earlierOf(tui);
  left.set(tui, hasOpenWork(tui, conversation) ? [...others, conversation] : others);
}

/**
 * Lists the jobs of this conversation, and the running ones of those left before.
 *
 * @throws as `backgroundJobs` does.
 */
export function openJobs(tui: Tui): OpenJob[] {
  const { conversation, jobs } = tui.session.agent;
  const jobsOf = (one: Conversation) =>
    backgroundJobs(one, jobs.jobs).map((job) => ({ ...job, isEarlier: one !== conversation, sessionId: one.id }));
  const own = jobsOf(conversation);
  // A copy of a session has the same jobs.
  const isOther = ({ isRunning, log }: OpenJob) => isRunning && !own.some((job) => job.log === log);
  return [...earlierOf(tui).flatMap(jobsOf).filter(isOther), ...own];
}

/** Lists the running agents for which no call waits, of this conversation and those left before. */
export function openAgents(tui: Tui): StartedAgent[] {
  const { agents, conversation } = tui.session.agent;
  return [...earlierAgents(tui), ...backgroundAgents({ agents, conversation })];
}

/** Lists the running agents of the conversations that were left. */
export function earlierAgents(tui: Tui): StartedAgent[] {
  const { agents } = tui.session.agent;
  return earlierOf(tui).flatMap((conversation) => backgroundAgents({ agents, conversation }));
}

function earlierOf(tui: Tui): readonly Conversation[] {
  return (left.get(tui) ?? []).filter(({ id }) => id !== tui.session.agent.conversation.id);
}

function hasOpenWork(tui: Tui, conversation: Conversation): boolean {
  const { agents, jobs } = tui.session.agent;
  try {
    const hasJob = backgroundJobs(conversation, jobs.jobs).some(({ isRunning }) => isRunning);
    return hasJob || backgroundAgents({ agents, conversation }).length > 0;
  } catch {
    // A session that cannot be read is reported elsewhere.
    return false;
  }
}
