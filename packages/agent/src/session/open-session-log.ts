import { systemMessage } from "@ikigai/models";
import { makePrivateDirectory, redactJson } from "@ikigai/system";
import { type LineFile, openLineFile } from "./line-file.ts";
import { cancelledJson, type SessionEvent } from "./session-event.ts";
import { type SessionLock, sessionsDir } from "./session-files.ts";
import { noLog, type SessionLog } from "./session-log.ts";

export interface LogPlace {
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
