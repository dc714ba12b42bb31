import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addUsage, noUsage, type Usage } from "@ikigai/models";
import { type Conversation, logSuffix, parseLine, readLines, readOnlyLog } from "@ikigai/session";
import { lockHolder } from "@ikigai/system";
import type { Agents } from "./agent-state.ts";
import { isRunning, readSlots } from "./slots.ts";

/** What agents have done, as their logs tell. */
export interface AgentsWork {
  /** The number of their tool calls. */
  readonly calls: number;
  /** What they have used, by the model. */
  readonly usage: ReadonlyMap<string, Usage>;
}

/** No work. */
const noWork: AgentsWork = { calls: 0, usage: new Map() };

/**
 * Returns what the agents of a conversation have done so far, with the agents that those have started. Never throws: a log that
 * cannot be read counts nothing.
 *
 * @param isWanted whether an agent of the conversation itself counts
 */
export function agentsWork(
  conversation: Pick<Conversation, "log">,
  isWanted: (agent: StartedAgent) => boolean = () => true,
): AgentsWork {
  return sumOf(startedAgents(conversation).filter(isWanted), new Set());
}

/** @param seen the logs that were counted: damaged files could name an agent above */
function sumOf(agents: readonly StartedAgent[], seen: Set<string>): AgentsWork {
  return agents.reduce((sum, { logPath: path }) => {
    if (seen.has(path)) return sum;
    seen.add(path);
    const below = startedAgents({
      log: readOnlyLog(path),
    });
    return addWork(addWork(sum, workIn(path)), sumOf(below, seen));
  }, noWork);
}

/** Returns the sum of both. */
function addWork(one: AgentsWork, other: AgentsWork): AgentsWork {
  const usage = new Map(one.usage);
  for (const [model, used] of other.usage) usage.set(model, addUsage(usage.get(model) ?? noUsage, used));
  return { calls: one.calls + other.calls, usage };
}

/** A log that has not grown is not read again. */
const known = new Map<string, { readonly bytes: number; readonly work: AgentsWork }>();

function workIn(path: string): AgentsWork {
  try {
    const bytes = statSync(path).size;
    const before = known.get(path);
    const work = before?.bytes === bytes ? before.work : readWork(path);
    known.set(path, { bytes, work });
    return work;
  } catch {
    return noWork;
  }
}

/** Only some lines count, and only the short ones of those are parsed. */
const linePattern = /^\{"seq":\d+,"time":"([^"]*)","type":"(session|tool_call|step_end|spent)"/;

function readWork(path: string): AgentsWork {
  let startedAt = "";
  let work = noWork;
  for (const line of readLines(path)) {
    const [, time = "", type] = linePattern.exec(line) ?? [];
    if (type === "session") startedAt = time;
    // An agent that starts with a copy of a conversation has not done what it copied.
    if (type === undefined || time < startedAt) continue;
    if (type === "tool_call") work = { ...work, calls: work.calls + 1 };
    const event = type === "step_end" || type === "spent" ? parseLine(line) : undefined;
    if (event?.type === "step_end" || event?.type === "spent")
      work = addWork(work, { calls: 0, usage: new Map([[event.model, event.usage]]) });
  }
  return work;
}

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
  /** Ends it, if it runs: it ends its own tools first. Returns whether it has ended. */
  end(): Promise<boolean>;
}

/**
 * Lists the agents of a conversation, in the order they were started. Never throws.
 *
 * @param own only those that run, and for which no call of this process waits.
 */
export function startedAgents({ log }: Pick<Conversation, "log">, own?: Agents): StartedAgent[] {
  const { path: logPath } = log;
  if (logPath === undefined) return [];
  const all = readSlots(logPath).flatMap((slot): StartedAgent[] => {
    const { number, call, agent, task, child } = slot;
    if (!child) return [];
    const state = isRunning(slot, logPath) ? "running" : child.isOver ? "ended" : "killed";
    const { session, spent } = child;
    const path = `${join(dirname(logPath), session)}${logSuffix}`;
    const end = () => endAgent(path);
    return [{ number, call, session, logPath: path, ...(agent !== undefined && { agent }), task, state, spent, end }];
  });
  return own ? all.filter(({ call, state }) => state === "running" && !own.starting.has(call)) : all;
}

/** How long an agent has to end its own tools, in milliseconds: as long as ikigai takes at most. */
const endingMs = 5_000;
const pollMs = 50;

async function endAgent(logPath: string): Promise<boolean> {
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
