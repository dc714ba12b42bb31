import { statSync } from "node:fs";
import { join } from "node:path";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import type { Conversation } from "../session/conversation.ts";
import { sessionsDir } from "../session/open-session-log.ts";
import { parseLine } from "../session/parse-line.ts";
import { readLines } from "../session/read-lines.ts";
import { logSuffix } from "../session/session-files.ts";
import { readOnlyLog } from "../session/session-log.ts";
import { readSlots } from "./slots.ts";
import { type StartedAgent, startedAgents } from "./started-agents.ts";

/** What agents have done, as their logs tell. */
export interface AgentsWork {
  /** The number of their tool calls. */
  readonly calls: number;
  /** What they have used, by the model. */
  readonly usage: ReadonlyMap<string, Usage>;
}

/** No work. */
export const noWork: AgentsWork = { calls: 0, usage: new Map() };

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

/** Returns the sessions of the agents that a session has started, by the call that started each. */
export function agentSessions(home: string, session: string): ReadonlyMap<string, string> {
  const slots = readSlots(join(sessionsDir(home), `${session}${logSuffix}`));
  return new Map(slots.flatMap(({ call, child }) => (child ? [[call, child.session] as const] : [])));
}
