import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockHolder, parseObject, userHome } from "@ikigai/system";
import { AgentFailure } from "./agent-failure.ts";

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
