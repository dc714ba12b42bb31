// The agents that a session has started, as the files beside its log tell: which there are, ending one, and sending one a message.

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder, makePrivateDirectory, parseObject, userHome, writePrivateFile } from "@ikigai/system";
import { AgentFailure } from "./agent-events.ts";

/** An agent that this session has started. */
export interface SessionAgent {
  /** From 1, in the order they were started. */
  readonly number: number;
  readonly session: string;
  /** Its name, if it has instructions of its own. */
  readonly agent?: string;
  /** The beginning of its task. */
  readonly task: string;
  readonly state: "running" | "ended" | "killed";
  /** Its process, if it is running. */
  readonly pid?: number;
  /** The files of what it prints, without their endings. */
  readonly outputs: string;
  /** The lock of its session, which it holds while it runs. */
  readonly lock: string;
  /** The directory of the messages to it. */
  readonly inbox: string;
}

/** The directory of all sessions. */
function sessionsDir({ IKIGAI_HOME: home, ...env }: NodeJS.ProcessEnv): string {
  return join(home || join(userHome(env) ?? "/", ".ikigai"), "sessions");
}

/** Returns the path of what an agent in the background prints, without the ending. The host has made its directory. */
export function outputsOf(env: NodeJS.ProcessEnv, session: string, slot: number): string {
  return join(sessionsDir(env), `${session}.agents`, String(slot));
}

/** Returns the agents of this session, in the order they were started. Never throws. */
export function sessionAgents(env: NodeJS.ProcessEnv): SessionAgent[] {
  const sessions = sessionsDir(env);
  const directory = join(sessions, `${env.IKIGAI_SESSION_ID}.agents`);
  return numbersIn(directory).flatMap((number) => {
    const outputs = join(directory, String(number));
    const { session, isOver } = read(`${outputs}.child.json`);
    if (typeof session !== "string" || !/^[\w-]+$/.test(session)) return [];
    const { task, agent } = read(`${outputs}.json`);
    const lock = join(sessions, `${session}.jsonl.lock`);
    const pid = isOver === true ? undefined : lockHolder(lock);
    return [
      {
        ...{ number, session, task: String(task), outputs, lock, inbox: join(sessions, `${session}.inbox`) },
        ...(typeof agent === "string" && { agent }),
        ...(pid !== undefined && { pid }),
        state: pid !== undefined ? "running" : isOver === true ? "ended" : "killed",
      },
    ];
  });
}

/** @throws AgentFailure `NOT_FOUND` if it is no agent of this session. */
export function sessionAgent(env: NodeJS.ProcessEnv, wanted: string | undefined): SessionAgent {
  const agents = sessionAgents(env);
  const found = agents.find(({ session }) => session === wanted);
  if (found) return found;
  const known = agents.map(({ session }) => session).join(", ");
  const hint = known === "" ? "It has started none." : `Known: ${known}.`;
  throw new AgentFailure("NOT_FOUND", `This session has no agent ${JSON.stringify(wanted ?? "")}`, { hint });
}

function numbersIn(directory: string): number[] {
  try {
    const names = readdirSync(directory);
    return names.flatMap((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? [])).sort((a, b) => a - b);
  } catch {
    return [];
  }
}

function read(path: string) {
  try {
    return parseObject(readFileSync(path, "utf8")) ?? {};
  } catch {
    return {};
  }
}

/** Ends a running agent: it ends its own tools first. Returns whether it has ended. */
export async function killAgent(agent: SessionAgent): Promise<boolean> {
  if (agent.pid === undefined) return true;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    send(agent.pid, signal);
    if (await hasEnded(agent.lock, agent.pid)) return true;
  }
  return false;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to another user.
  }
}

/** How long an agent has to end its own tools, in milliseconds. */
const endingMs = 5_000;
const pollMs = 50;

/**
 * Waits until an agent has ended, for at most five seconds. Returns whether it has.
 *
 * @param lock of its session.
 * @param pid its process, if it is running.
 */
export async function hasEnded(lock: string, pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return true;
  for (let waitedMs = 0; lockHolder(lock) === pid; waitedMs += pollMs) {
    if (waitedMs >= endingMs) return false;
    await sleep(pollMs);
  }
  return true;
}

/** The longest message, in bytes. */
const maxMessageBytes = 16_384;

/** How many messages wait for an agent at most. */
const maxWaiting = 100;

/**
 * Sends a message to a running agent, which reads it before its next request.
 *
 * @throws AgentFailure `INVALID_ARG` for a message that is empty or too long; `NOT_SENT` if the agent is not running, or too many
 *   messages wait. The system's error if it cannot be written.
 */
export function sendMessage({ session, inbox, lock }: SessionAgent, text: string, from: string): void {
  const bytes = Buffer.byteLength(text);
  if (text.trim() === "") throw new AgentFailure("INVALID_ARG", "The message is empty");
  if (bytes > maxMessageBytes) {
    throw new AgentFailure("INVALID_ARG", `The message has ${bytes} bytes. At most ${maxMessageBytes} are allowed.`);
  }
  const isRunning = () => lockHolder(lock) !== undefined;
  if (!isRunning()) throw notRunning(session);
  makePrivateDirectory(inbox);
  if (readdirSync(inbox).length >= maxWaiting) {
    const why = `The agent ${session} has ${maxWaiting} messages that it has not read`;
    throw new AgentFailure("NOT_SENT", why, { hint: "Wait until it has read them." });
  }
  // Named by time: messages are read in the order they were sent.
  const path = join(inbox, `${Date.now()}-${process.hrtime.bigint()}-${randomBytes(4).toString("hex")}.json`);
  writePrivateFile(`${path}.part`, JSON.stringify({ from, text }));
  renameSync(`${path}.part`, path);
  if (isRunning()) return;
  rmSync(path, { force: true });
  throw notRunning(session);
}

function notRunning(session: string): AgentFailure {
  return new AgentFailure("NOT_SENT", `The agent ${session} is not running`, {
    hint: "Start another one; with from it knows what this one knew.",
  });
}
