import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder } from "@ikigai/system";
import type { Conversation } from "../session/conversation.ts";
import { logSuffix } from "../session/session-files.ts";
import type { Agents } from "./agent-state.ts";
import { isRunning, readSlots } from "./slots.ts";

/** An agent that a conversation has started. */
export interface StartedAgent {
  /** From 1, in the order they were started. */
  readonly number: number;
  /** The call that started it. */
  readonly call: string;
  /** Its session. */
  readonly session: string;
  /** The log of its session. */
  readonly logPath: string;
  /** Its name, if it has instructions of its own. */
  readonly agent?: string;
  /** The beginning of its task. */
  readonly task: string;
  /** `killed`: it has not ended on its own, so its whole share of the tokens counts. */
  readonly state: "running" | "ended" | "killed";
  /** How many tokens it has used, as its share counts them. */
  readonly spent: number;
}

/** Lists the agents of a conversation, in the order they were started. Never throws. */
export function startedAgents({ log }: Pick<Conversation, "log">): StartedAgent[] {
  const { path: logPath } = log;
  if (logPath === undefined) return [];
  return readSlots(logPath).flatMap((slot) => {
    const { number, call, agent, task, child } = slot;
    if (!child) return [];
    const state = isRunning(slot, logPath) ? "running" : child.isOver ? "ended" : "killed";
    const { session, spent } = child;
    const own = `${join(dirname(logPath), session)}${logSuffix}`;
    return [{ number, call, session, logPath: own, ...(agent !== undefined && { agent }), task, state, spent }];
  });
}

/** Lists the running agents for which no call waits. */
export function backgroundAgents({
  agents,
  conversation,
}: {
  readonly agents: Agents;
  readonly conversation: Conversation;
}): StartedAgent[] {
  return startedAgents(conversation).filter(({ call, state }) => state === "running" && !agents.starting.has(call));
}

/** How long an agent has to end its own tools, in milliseconds: as long as ikigai takes at most. */
const endingMs = 5_000;
const pollMs = 50;

/** Ends a running agent: it ends its own tools first. Returns whether it has ended. */
export async function endAgent({ logPath }: Pick<StartedAgent, "logPath">): Promise<boolean> {
  const lock = `${logPath}.lock`;
  const pid = lockHolder(lock);
  if (pid === undefined) return true;
  signal(pid, "SIGTERM");
  for (let waitedMs = 0; waitedMs < endingMs; waitedMs += pollMs) {
    await sleep(pollMs);
    if (lockHolder(lock) !== pid) return true;
  }
  signal(pid, "SIGKILL");
  await sleep(pollMs);
  return lockHolder(lock) !== pid;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended, or belongs to another user, which the caller sees.
  }
}
