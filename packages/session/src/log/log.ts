// Where the files of a session are, who may write them, and the log: each line is written before what it says takes effect.

import { closeSync, existsSync, fstatSync, ftruncateSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError, systemMessage } from "@ikigai/models";
import { isInside, Lock, lockState, makePrivateDirectory, readProblem, redactJson, writeAll } from "@ikigai/system";
import { AgentError } from "../errors.ts";
import { cancelledJson, type SessionEvent } from "./events.ts";

/** The log of a conversation. */
export interface SessionLog {
  /** The file; absent when the session is not saved. */
  readonly path?: string;
  /** Why the session is not saved, permanently or at the moment; one sentence. */
  readonly problem: string | undefined;
  /** The lines that could not be written yet: with those of the file, they are the whole session. */
  readonly unwritten: readonly string[];
  /** Writes one event before it returns. Never throws: a failure becomes `problem`, and the event is retried. */
  append(event: SessionEvent): void;
  /** Tries once more to write what could not be written. */
  retry(): void;
  /** Releases the session for other processes. */
  close(): void;
}

const writesNothing = { unwritten: [], append: () => {}, retry: () => {}, close: () => {} };

/** The log of a session of another process, which is only read. */
export function readOnlyLog(path: string): SessionLog {
  return { ...writesNothing, path, problem: undefined };
}

/** A log that stores nothing. */
export function noLog(problem: string): SessionLog {
  return { ...writesNothing, problem };
}

export function sessionsDir(home: string): string {
  return join(home, "sessions");
}

/** The suffix of a session log's file name, after the session's ID. */
export const logSuffix = ".jsonl";

/** The suffix of the file that marks a session as archived. */
export const archivedSuffix = ".archived";

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
interface SessionLock {
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

/** Something with a log: a conversation. */
interface Logged {
  readonly log: SessionLog;
}

/** Whether a conversation has started agents. */
export function hasAgents({ log }: Logged): boolean {
  return log.path !== undefined && existsSync(agentsDir(log.path));
}

/** Returns the directory of results that were moved out of a conversation to make room; `undefined` if it is not saved. */
export function outputsDir({ log }: Logged): string | undefined {
  return log.path && outputsDirOf(log.path);
}

export function outputsDirOf(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".outputs");
}

/** Returns the directory of what tools keep for the session; `undefined` if it is not saved. It may not exist. */
export function stateDir({ log }: Logged): string | undefined {
  return log.path && stateDirOf(log.path);
}

export function stateDirOf(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".state");
}

/** How much unwritten data is kept to try again, in bytes. */
const maxPendingBytes = 4 * 1_048_576;

/** A file that lines are appended to. */
interface LineFile {
  /** How many lines were discarded because too much was pending, and are not yet reported in the file. */
  readonly lostLines: number;
  /** The lines that are not in the file yet. */
  readonly pending: readonly string[];
  /**
   * Writes a line, after any pending ones.
   *
   * @throws the system's error; the file then ends with the last whole line, and the line stays pending.
   */
  append(line: string): void;
  /** Writes the pending lines. @throws the system's error; the lines stay pending. */
  retry(): void;
  close(): void;
}

/**
 * Opens a file to append lines, and removes an incomplete last line.
 *
 * @param lostLine returns the line that replaces discarded lines.
 * @throws the system's error.
 */
export function openLineFile(path: string, lostLine: (lines: number) => string): LineFile {
  const fd = openSync(path, "a+", 0o600);
  let isOpen = true;
  let length = endOfLastLine(fd);
  if (length < fstatSync(fd).size) ftruncateSync(fd, length);
  let pending: Buffer[] = [];
  let torn = false;
  let lostLines = 0;

  /** Writes the pending lines, from the first that is not in the file yet. */
  const writePending = () => {
    if (torn) ftruncateSync(fd, length);
    for (let [line] = pending; line; [line] = pending) {
      torn = true;
      writeAll(fd, line);
      torn = false;
      length += line.length;
      pending.shift();
      lostLines = 0;
    }
  };

  const giveUpTooMuch = () => {
    if (pending.reduce((sum, { length: bytes }) => sum + bytes, 0) <= maxPendingBytes) return;
    // The line that reports discarded lines is not one of them.
    lostLines += lostLines > 0 ? pending.length - 1 : pending.length;
    pending = [Buffer.from(`${lostLine(lostLines)}\n`)];
  };

  return {
    get lostLines() {
      return lostLines;
    },
    get pending() {
      return pending.map((line) => line.toString("utf8").trimEnd());
    },
    append(line) {
      if (!isOpen) return;
      pending.push(Buffer.from(`${line}\n`));
      try {
        writePending();
      } catch (error) {
        giveUpTooMuch();
        throw error;
      }
    },
    retry() {
      if (isOpen) writePending();
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        if (pending.length > 0) writePending();
      } catch {
        // There is still no room, and no time left.
      }
      closeSync(fd);
    },
  };
}

const newline = 0x0a;
const chunkBytes = 65_536;

/** Returns where the last whole line ends, searching backwards, so that the file's size does not matter. */
function endOfLastLine(fd: number): number {
  const chunk = Buffer.alloc(chunkBytes);
  for (let end = fstatSync(fd).size; end > 0; ) {
    const start = Math.max(0, end - chunkBytes);
    const bytes = readSync(fd, chunk, 0, end - start, start);
    const at = chunk.subarray(0, bytes).lastIndexOf(newline);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

interface LogPlace {
  readonly path: string;
  /** Strings that must not be written. */
  readonly secrets: readonly string[];
  readonly lock: SessionLock | undefined;
  /** The number of existing lines. */
  readonly lines: number;
}

/** @throws the system's error if the directory cannot be created. */
export function makeSessionsDir(home: string): string {
  const path = sessionsDir(home);
  makePrivateDirectory(path);
  return path;
}

/** Opens a session file to continue writing it. Never throws: the log's `problem` says why it cannot be written. */
export function openSessionLog({ path, secrets, lock, lines }: LogPlace): SessionLog {
  let seq = lines;
  const lineOf = (event: SessionEvent) => logLine(event, seq++, secrets);
  let file: LineFile;
  try {
    file = openLineFile(path, (lost) => lineOf({ type: "lost", lines: lost }));
  } catch (error) {
    lock?.release();
    return noLog(describe(error));
  }
  let problem: string | undefined;
  let isClosed = false;
  const open = new Map<string, string>();
  const write = (attempt: () => void) => {
    if (lock && !hasLock(lock)) {
      problem = takenSession;
      return;
    }
    try {
      attempt();
      problem = undefined;
    } catch (error) {
      problem = file.lostLines > 0 ? `${describe(error)} ${lostForGood}` : describe(error);
    }
  };
  const log: SessionLog = {
    path,
    get problem() {
      return problem;
    },
    get unwritten() {
      return file.pending;
    },
    append(event) {
      if (isClosed) return;
      noteOpenCalls(open, event);
      write(() => file.append(lineOf(event)));
    },
    retry() {
      if (!isClosed && file.pending.length > 0) write(file.retry);
    },
    close() {
      for (const [id, name] of [...open])
        log.append({ type: "tool_result", id, name, json: cancelledJson, durationMs: 0 });
      isClosed = true;
      file.close();
      lock?.release();
    },
  };
  return log;
}

/** An event as the log has it, without secrets; its time is now unless it has one. */
export function logLine(event: SessionEvent, seq: number, secrets: readonly string[]): string {
  return redactJson(JSON.stringify({ seq, time: new Date().toISOString(), ...event }), secrets);
}

const lostForGood = "Part of it is lost: more events were waiting than ikigai keeps.";

/** Keeps track of running calls, so that a process that must exit immediately still gives them a result. */
function noteOpenCalls(open: Map<string, string>, event: SessionEvent): void {
  if (event.type === "tool_call") open.set(event.id, event.name);
  if (event.type === "tool_result") open.delete(event.id);
  // Everything before it has been answered or rewound.
  if (event.type === "user" || event.type === "rewind") open.clear();
}

const takenSession = "This session is not being saved: this process was suspended, and another one opened the session.";

function hasLock(lock: SessionLock): boolean {
  try {
    return lock.isOwn();
  } catch {
    // A disk problem, which writing the file will report.
    return true;
  }
}

export function describe(error: unknown): string {
  return `This session is not being saved: ${systemMessage(error).replace(/\.$/, "")}.`;
}
