// The agents that a conversation has started. In order: their slots on disk, which share its tokens; what they have done, as their
// logs tell; and the list of them, with how one is ended.

import { rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addUsage, noUsage, type Usage } from "@ikigai/models";
import { agentsDir, type Conversation, isHeld, logSuffix, parseLine, readLines, readOnlyLog } from "@ikigai/session";
import { lockHolder, namesIn, parseObject, privateFileMode, readRegularFile, writePrivateFile } from "@ikigai/system";
import type { Agents } from "./agents.ts";

/** An agent that a session has started: `N.json` in the directory beside the session's log. */
interface Slot {
  readonly number: number;
  /** The call that started it. */
  readonly call: string;
  /** How many tokens it may use. */
  readonly tokens: number;
  /** The beginning of its task. */
  readonly task: string;
  /** Its name, if it has instructions of its own. */
  readonly agent?: string;
  /** What the agent itself says; absent before it has started. */
  readonly child?: SlotChild;
}

/** The agent's own part: `N.child.json`. The process that creates it has used the grant. */
interface SlotChild {
  readonly session: string;
  /** How many tokens it has used, with the agents that it started. */
  readonly spent: number;
  /** Whether it has ended, so that it uses no more. A killed one is never over: its whole share counts. */
  readonly isOver: boolean;
}

/** Returns the slots of a session, in order. */
export function readSlots(logPath: string): Slot[] {
  const directory = agentsDir(logPath);
  const numbers = namesIn(directory).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .map((number) => readSlot(directory, number));
}

/** @throws the system's error if the slot cannot be written. */
export function writeSlot(logPath: string, { number, ...slot }: Slot): void {
  writePrivateFile(slotPath(agentsDir(logPath), number), `${JSON.stringify(slot)}\n`);
}

/** Forgets a slot whose agent has not started. */
export function removeSlot(logPath: string, number: number): void {
  rmSync(slotPath(agentsDir(logPath), number), { force: true });
}

/**
 * Takes the slot of a grant for a session. Returns the tokens that were written for it; `undefined` if there is no such slot, or it
 * is taken.
 *
 * @throws the system's error if that cannot be written.
 */
export function claimSlot(
  logPath: string,
  { slot: number, call }: { readonly slot: number; readonly call: string },
  session: string,
): number | undefined {
  const directory = agentsDir(logPath);
  const slot = readSlot(directory, number);
  if (call === "" || slot.call !== call || slot.child) return undefined;
  try {
    writeFileSync(childPath(directory, number), childText({ session, spent: 0, isOver: false }), {
      flag: "wx",
      mode: privateFileMode,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  return slot.tokens;
}

/** @throws the system's error if that cannot be written. */
export function updateSlot(logPath: string, number: number, child: SlotChild): void {
  writePrivateFile(childPath(agentsDir(logPath), number), childText(child));
}

/** Whether the agent of a slot is running. */
export function isRunning({ child }: Slot, logPath: string): boolean {
  return child !== undefined && !child.isOver && isHeld(`${join(dirname(logPath), child.session)}${logSuffix}.lock`);
}

/** How many tokens of a slot are gone, or kept for an agent that may still use them. */
function takenTokens({ tokens, child }: Slot, isStarting: boolean): number {
  if (!child) return isStarting ? tokens : 0;
  return child.isOver ? child.spent : Math.max(tokens, child.spent);
}

function slotPath(directory: string, number: number): string {
  return join(directory, `${number}.json`);
}

function childPath(directory: string, number: number): string {
  return join(directory, `${number}.child.json`);
}

function childText(child: SlotChild): string {
  return `${JSON.stringify(child)}\n`;
}

function readSlot(directory: string, number: number): Slot {
  const { call, tokens, task, agent } = read(slotPath(directory, number)) ?? {};
  // A damaged file leaves nothing for others.
  const share = isCount(tokens) ? tokens : Number.MAX_SAFE_INTEGER;
  const known = {
    ...{ number, call: textOr(call), tokens: share, task: textOr(task) },
    ...(typeof agent === "string" && { agent }),
  };
  const said = read(childPath(directory, number));
  if (said === undefined) return known;
  const { session, spent, isOver } = said;
  const child = {
    session: typeof session === "string" && /^[\w-]+$/.test(session) ? session : "unknown",
    spent: isCount(spent) ? spent : 0,
    isOver: isOver === true,
  };
  return { ...known, child };
}

function read(path: string): ReturnType<typeof parseObject> {
  let text: string;
  try {
    text = readRegularFile(path).toString("utf8");
  } catch {
    return undefined;
  }
  return parseObject(text) ?? {};
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Returns how many tokens the agents of a conversation have used, or may still use. */
export function tokensOfAgents({ starting }: Pick<Agents, "starting">, { log }: Conversation): number {
  const slots = log.path === undefined ? [] : readSlots(log.path);
  return slots.reduce((sum, slot) => sum + takenTokens(slot, starting.has(slot.call)), 0);
}

/** Returns how many tokens new agents may use. */
export function tokensForAgents(agents: Agents, conversation: Conversation): number {
  const left = agents.maxTokens - tokensOfAgents(agents, conversation);
  return Math.min(left, agents.ownSlot?.left(agents, conversation) ?? left);
}

/** What agents have done, as their logs tell. */
interface AgentsWork {
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
