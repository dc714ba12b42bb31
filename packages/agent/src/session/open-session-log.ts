import { join } from "node:path";
import { makePrivateDirectory } from "@ikigai/core";
import { redact } from "../model/redact.ts";
import { type LineFile, openLineFile } from "./line-file.ts";
import type { SessionEvent } from "./session-event.ts";
import type { SessionLock } from "./session-lock.ts";
import { noLog, type SessionLog } from "./session-log.ts";

export interface LogPlace {
  readonly path: string;
  /** What must not be written down. */
  readonly secrets: readonly string[];
  readonly lock: SessionLock | undefined;
  /** How many lines there are already. */
  readonly lines: number;
}

export function sessionsDir(home: string): string {
  return join(home, "sessions");
}

/** @throws the system's error when there can be no such directory. */
export function makeSessionsDir(home: string): string {
  const path = sessionsDir(home);
  makePrivateDirectory(path);
  return path;
}

/** Opens a session's file to go on writing it. Never throws: where that cannot be done, the log says why. */
export function openSessionLog({ path, secrets, lock, lines }: LogPlace): SessionLog {
  let file: LineFile;
  try {
    file = openLineFile(path);
  } catch (error) {
    lock?.release();
    return noLog(describe(error));
  }
  let seq = lines;
  let problem: string | undefined;
  return {
    path,
    get problem() {
      return problem;
    },
    append(event: SessionEvent) {
      if (lock && !hasLock(lock)) {
        problem = lostSession;
        return;
      }
      const line = JSON.stringify({ seq: seq++, time: new Date().toISOString(), ...event });
      try {
        file.append(redact(line, secrets));
        problem = undefined;
      } catch (error) {
        problem = describe(error);
      }
    },
    close() {
      file.close();
      lock?.release();
    },
  };
}

const lostSession =
  "This session is not being saved: this process was stopped, and another one has opened the session meanwhile.";

function hasLock(lock: SessionLock): boolean {
  try {
    return lock.isOwn();
  } catch {
    // The disk is in trouble, which the file itself will show.
    return true;
  }
}

export function describe(error: unknown): string {
  return `This session is not being saved: ${whyNotWritten(error)}.`;
}

/** Why a file could not be written, as the end of a sentence. */
export function whyNotWritten(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return "the disk is full";
  return code === "EDQUOT" ? "the quota is used up" : message;
}
