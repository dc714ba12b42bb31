import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { noUsage } from "@ikigai/models";
import type { Conversation } from "./conversation.ts";
import { describe, logLine, makeSessionsDir, openSessionLog } from "./open-session-log.ts";
import type { SessionEvent, SessionParent } from "./session-event.ts";
import { lockSession } from "./session-files.ts";
import { noLog, type SessionLog } from "./session-log.ts";

/** Where a conversation is stored. */
export interface StartOptions {
  /** The user's directory, which contains the sessions. */
  readonly home: string;
  readonly cwd: string;
  /** Keys, which are never written; see `secretsOf`. */
  readonly secrets?: readonly string[];
  /** ikigai itself asks, not the user: lists of sessions leave it out. */
  readonly isOwn?: boolean;
  /** It is a task of a program, with `-p`. */
  readonly isPrint?: boolean;
  /** The session whose recorded results answer the calls: lists of sessions leave this one out. */
  readonly replayOf?: string;
  /** The call of another session that starts this one's agent: lists of sessions leave this one out. */
  readonly parent?: SessionParent | undefined;
}

/**
 * Starts a conversation. Its file is created with the first event. If that fails, the conversation works without it, and
 * `log.problem` says why.
 */
export function startConversation({ secrets = [], isOwn = false, ...options }: StartOptions): Conversation {
  const id = newSessionId();
  return {
    id,
    cwd: options.cwd,
    messages: [],
    introduced: [],
    log: lazyLog({ ...options, id, secrets, isOwn }),
    usage: noUsage,
  };
}

/** Returns a unique ID that sorts by time. */
export function newSessionId(now = new Date()): string {
  // Not a secret, so not worth the 5 ms that node:crypto takes to load.
  const random = Math.trunc(Math.random() * 2 ** 32);
  const [date = "", time = ""] = now.toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${random.toString(16).padStart(8, "0")}`;
}

interface NewSession {
  readonly home: string;
  readonly id: string;
  readonly cwd: string;
  readonly secrets: readonly string[];
  readonly isOwn: boolean;
  readonly isPrint?: boolean;
  readonly replayOf?: string;
  readonly parent?: SessionParent | undefined;
}

function lazyLog(session: NewSession): SessionLog {
  let directory: string;
  try {
    directory = makeSessionsDir(session.home);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    return noLog(describe(error));
  }
  const path = join(directory, `${session.id}.jsonl`);
  let opened: SessionLog | undefined;
  let problem: string | undefined;
  const first = timed(firstEvent(session));
  let waiting: SessionEvent[] = [];
  return {
    path,
    get problem() {
      return opened ? opened.problem : problem;
    },
    get unwritten() {
      if (opened) return opened.unwritten;
      return [first, ...waiting].map((event, seq) => logLine(event, seq, session.secrets));
    },
    append(event) {
      if (opened) return opened.append(event);
      if (waiting.length < maxWaiting) waiting.push(timed(event));
      open();
    },
    retry() {
      if (opened) opened.retry();
      else if (waiting.length > 0) open();
    },
    close: () => opened?.close(),
  };

  function open(): void {
    const log = create(path, first, session.secrets);
    problem = log.problem;
    // Without a file, the next event may succeed in creating it.
    if (log.path === undefined) return;
    opened = log;
    for (const one of waiting) opened.append(one);
    waiting = [];
  }
}

/** How many events are kept until the file can be created. */
const maxWaiting = 10_000;

function firstEvent({ id, cwd, isOwn, isPrint, replayOf, parent }: NewSession): SessionEvent {
  const origin = { ...(isOwn && { isOwn }), ...(replayOf && { replayOf }), ...(parent && { parent }) };
  return { type: "session", version: 1, id, cwd, ...(isPrint && { isPrint }), ...origin };
}

/** An event that keeps the time at which it happened, whenever it is written. */
function timed(event: SessionEvent): SessionEvent & { readonly time: string } {
  return { time: new Date().toISOString(), ...event };
}

function create(path: string, first: SessionEvent, secrets: readonly string[]): SessionLog {
  try {
    const log = openSessionLog({ path, secrets, lock: lockSession(`${path}.lock`), lines: 0 });
    log.append(first);
    return log;
  } catch (error) {
    return noLog(describe(error));
  }
}
