import { existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "@ikigai/models";
import { isInside, Lock, lockState, readProblem } from "@ikigai/system";
import { AgentError } from "../agent-error.ts";
import type { Conversation } from "./conversation.ts";

export function sessionsDir(home: string): string {
  return join(home, "sessions");
}

/** The suffix of a session log's file name, after the session's ID. */
export const logSuffix = ".jsonl";

/**
 * Returns the logs of all sessions.
 *
 * @throws AgentError `session_unreadable` if their directory exists and cannot be read.
 */
export function sessionFiles(home: string): string[] {
  const directory = sessionsDir(home);
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(logSuffix))
      .map((name) => join(directory, name));
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    if (reason.code === "ENOENT") return [];
    throw new AgentError("session_unreadable", `${directory} ${readProblem(reason, directory, home)}`);
  }
}

/**
 * Reads the log of a session, in the user's directory or elsewhere.
 *
 * @throws AgentError `session_unreadable` with what to do, if the system does not allow it; what `read` throws otherwise.
 */
export function readStored<Contents>(path: string, home: string, read: (path: string) => Contents): Contents {
  try {
    return read(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const all = isInside(path, home) ? home : undefined;
    throw new AgentError("session_unreadable", `The session ${path} ${readProblem(error, path, all)}`);
  }
}

/** The lock of the process that writes a session. */
export interface SessionLock {
  /** Whether this process still holds it: a process that was suspended for long may have lost it. */
  isOwn(): boolean;
  release(): void;
}

/** How often the lock is refreshed, in milliseconds: a session is open for hours. */
const refreshMs = 10_000;

/**
 * Locks a session; `undefined` if another running process holds the lock.
 *
 * @throws the system's error if the lock file cannot be created, or an error that says what is in its place.
 */
export function lockSession(path: string): SessionLock | undefined {
  const lock = new Lock(path, { refreshMs });
  if (!lock.tryTake()) return undefined;
  return {
    // A user who deletes the lock file does not mean to lose the session.
    isOwn: () => lock.isOwn() || lock.tryTake(),
    release: () => lock.release(),
  };
}

/** Whether a running process holds the lock. */
export function isHeld(path: string): boolean {
  return lockState(path) === "held";
}

/** Returns the directory of the files that a session's log names: images, and the old content of files. */
export function filesDir(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".files");
}

/** Whether a path in a log is that of a file that the session keeps. A log from elsewhere may name any file, or a link to it. */
export function isKeptFile(logPath: string, path: unknown): path is string {
  const directory = filesDir(logPath);
  if (typeof path !== "string" || dirname(path) !== directory) return false;
  try {
    return lstatSync(directory).isDirectory() && lstatSync(path).isFile();
  } catch {
    // Missing, or not a path at all.
    return false;
  }
}

/** Returns the directory of what a session knows about the agents that it has started. */
export function agentsDir(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".agents");
}

/** Whether a conversation has started agents. */
export function hasAgents({ log }: Conversation): boolean {
  return log.path !== undefined && existsSync(agentsDir(log.path));
}

/** Returns the directory of results that were moved out of a conversation to make room; `undefined` if it is not saved. */
export function outputsDir({ log }: Conversation): string | undefined {
  return log.path && outputsDirOf(log.path);
}

export function outputsDirOf(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".outputs");
}

/** Returns the directory of what tools keep for the session; `undefined` if it is not saved. It may not exist. */
export function stateDir({ log }: Conversation): string | undefined {
  return log.path && stateDirOf(log.path);
}

export function stateDirOf(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".state");
}
