import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentsDir, type Conversation, isHeld, logSuffix } from "@ikigai/session";
import { parseObject, privateFileMode, readRegularFile, writePrivateFile } from "@ikigai/system";
import type { Agents } from "./agent-state.ts";

/** An agent that a session has started: `N.json` in the directory beside the session's log. */
export interface Slot {
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
export interface SlotChild {
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
export function takenTokens({ tokens, child }: Slot, isStarting: boolean): number {
  if (!child) return isStarting ? tokens : 0;
  return child.isOver ? child.spent : Math.max(tokens, child.spent);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
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
