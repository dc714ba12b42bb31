// Opens a conversation: a new one, one that is resumed, or a copy of one.
import { accessSync, closeSync, constants, copyFileSync, linkSync, lstatSync, openSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isSystemError, noUsage, systemMessage } from "@ikigai/models";
import { makePrivateDirectory, writeAll } from "@ikigai/system";
import type { Conversation } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { findSession } from "./finding/list-sessions.ts";
import {
  cancelledJson,
  findUndone,
  parseLine,
  type SessionEvent,
  type SessionLine,
  type SessionParent,
} from "./log/events.ts";
import {
  describe,
  isKeptFile,
  lockSession,
  logLine,
  makeSessionsDir,
  noLog,
  openSessionLog,
  outputsDirOf,
  readStored,
  type SessionLog,
  sessionsDir,
  stateDirOf,
} from "./log/log.ts";
import { type ReadSession, readLines, readSession } from "./log/read-log.ts";

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

/** A resumed conversation. */
export interface ResumedConversation {
  readonly conversation: Conversation;
  /** What was repaired or is missing, for the user: unreadable lines, unfinished calls, a copy. */
  readonly notices: readonly string[];
}

/**
 * Resumes a session; a unique beginning of its ID is enough. Calls without a result get a cancelled one. If another process
 * has the session open, makes a copy with a new ID.
 *
 * @throws AgentError `session_not_found`, `session_ambiguous`, or `session_unreadable` with what to do.
 */
export function resumeConversation({
  home,
  id: wanted,
  cwd: here,
  secrets = [],
}: StartOptions & { readonly id: string }): ResumedConversation {
  const directory = sessionsDir(home);
  const path = findSession(home, wanted);
  // The file name is the session's ID, even if the header line is damaged.
  const id = basename(path, ".jsonl");
  const session = { ...readStored(path, home, readSession), id };
  const notices = noticesOf(session);
  const { log, id: writtenId } = openLog(directory, path, session, secrets);
  if (writtenId !== id) notices.push(`Another process has this session open; this is a copy: ${writtenId}.`);
  for (const { id: callId, name } of session.unanswered) {
    session.messages.push({ role: "tool", id: callId, name, json: cancelledJson });
    log.append({ type: "tool_result", id: callId, name, json: cancelledJson, durationMs: 0 });
  }
  const { cwd, messages, prompt, introduced, toolOrder, usage, measured, turns, lastUse } = session;
  const state = { messages, prompt, introduced, toolOrder, usage, measured, turns, ...(lastUse && { lastUse }) };
  const conversation = { id: writtenId, cwd: cwd || here, log, ...state };
  return { conversation, notices };
}

function openLog(
  directory: string,
  path: string,
  session: ReadSession,
  secrets: readonly string[],
): { log: SessionLog; id: string } {
  try {
    const lock = lockSession(`${path}.lock`);
    if (lock) return { log: openSessionLog({ path, secrets, lock, lines: session.nextSeq }), id: session.id };
    const id = newSessionId();
    const copy = join(directory, `${id}.jsonl`);
    const lines = copySession(path, copy, { type: "session", version: 1, id, cwd: session.cwd });
    const own = lockSession(`${copy}.lock`);
    return { log: openSessionLog({ path: copy, secrets, lock: own, lines }), id };
  } catch (error) {
    return { log: noLog(describe(error)), id: session.id };
  }
}

function noticesOf({ badLines, lostLines, torn, unanswered }: ReadSession): string[] {
  const notices: string[] = [];
  if (badLines > 0) notices.push(`Skipped ${badLines} unreadable lines of the session.`);
  if (lostLines > 0) notices.push(`${lostLines} lines of the session are lost because they could not be written.`);
  if (torn) notices.push("Dropped the session's last line, which was incomplete.");
  if (unanswered.length > 0) {
    notices.push(`Calls that had not finished: ${unanswered.map(({ name }) => name).join(", ")}.`);
  }
  return notices;
}

/** What to copy, and for whom. */
interface ForkOptions extends StartOptions {
  /** The ID of the session to copy, or its unique beginning. */
  readonly id: string;
  /** The `seq` of a user message: the copy ends before it. Without it, everything is copied. */
  readonly before?: number;
}

/**
 * Copies a session into a new one, up to any of its messages.
 *
 * @throws AgentError `session_not_found`, `session_ambiguous`, `session_unreadable`, or `session_not_saved` if it cannot be copied.
 */
export function forkConversation({ id, before, ...place }: ForkOptions): ResumedConversation {
  const from = findSession(place.home, id);
  const { cwd } = readStored(from, place.home, readSession);
  const { parent, isPrint } = place;
  const origin = { ...(isPrint && { isPrint }), ...(parent && { parent }) };
  const copyId = newSessionId();
  try {
    const to = join(makeSessionsDir(place.home), `${copyId}.jsonl`);
    copySession(from, to, { type: "session", version: 1, id: copyId, cwd, ...origin }, before);
    carryState(from, to);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new AgentError("session_not_saved", `The session cannot be copied: ${systemMessage(error)}.`);
  }
  return resumeConversation({ ...place, id: copyId });
}

const seqPattern = /^\{"seq":(\d+)/;

/**
 * Copies a session's lines, without rewound ones, and the files they name under a new header; with `before`, only the lines
 * before the one with that `seq`. Returns the number of lines.
 *
 * @throws the system's error.
 */
export function copySession(
  from: string,
  to: string,
  header: Extract<SessionEvent, { type: "session" }>,
  before = Number.POSITIVE_INFINITY,
): number {
  const isUndone = findUndone(readLines(from));
  const carried = carryFiles(from, to);
  const fd = openSync(to, "wx", 0o600);
  try {
    let lines = 0;
    writeAll(fd, `${JSON.stringify({ seq: lines++, time: new Date().toISOString(), ...header })}\n`);
    let index = 0;
    for (const line of readLines(from)) {
      const seq = Number(seqPattern.exec(line)?.[1] ?? Number.NaN);
      const isHeader = index === 0;
      if (!isUndone(index++) && !isHeader && seq < before)
        writeAll(fd, `${carried(line).replace(seqPattern, `{"seq":${lines++}`)}\n`);
    }
    return lines;
  } finally {
    closeSync(fd);
  }
}

/** Gives a copy of a session what tools have kept for it. Only regular files; the copy is useful without what cannot be copied. */
function carryState(fromLog: string, toLog: string): void {
  const [from, to] = [stateDirOf(fromLog), stateDirOf(toLog)];
  try {
    if (!lstatSync(from).isDirectory()) return;
    makePrivateDirectory(to);
    for (const name of readdirSync(from)) {
      if (lstatSync(join(from, name)).isFile()) copyFileSync(join(from, name), join(to, name), constants.COPYFILE_EXCL);
    }
  } catch {
    // Nothing was kept, or the disk is full.
  }
}

/**
 * Gives a copy of a session its own files: images, old file contents, results moved out of the conversation. Returns a
 * function that rewrites a line to name them, so that the copy outlives the original. Files that are not the session's own, or
 * that cannot be copied, keep their name.
 */
function carryFiles(from: string, to: string): (line: string) => string {
  const ownDir = (suffix: string) => {
    const directory = to.replace(/\.jsonl$/, suffix);
    makePrivateDirectory(directory);
    return directory;
  };
  const outputs = outputsDirOf(from);
  const carryFile = (path: string) =>
    attempt(path, () => (isKeptFile(from, path) ? carry(path, ownDir(".files"), linkSync) : path));
  const carryOutputs = (directory: string) =>
    attempt(directory, () => {
      if (directory !== outputs || !lstatSync(directory).isDirectory()) return directory;
      // The original may write another result under the same name.
      for (const name of readdirSync(directory)) carry(join(directory, name), ownDir(".outputs"), copy);
      return ownDir(".outputs");
    });

  return (line) => {
    if (!/\.(files|outputs)\b/.test(line)) return line;
    const event = parseLine(line);
    return event ? JSON.stringify(renamed(event, carryFile, carryOutputs)) : line;
  };
}

function renamed(
  event: SessionLine,
  carryFile: (path: string) => string,
  carryOutputs: (directory: string) => string,
): SessionLine {
  if ((event.type === "user" || event.type === "tool_result") && event.images) {
    return { ...event, images: event.images.map((image) => ({ ...image, path: carryFile(image.path) })) };
  }
  if (event.type === "checkpoint" && event.kept !== null) return { ...event, kept: carryFile(event.kept) };
  if (event.type === "compact" && event.directory !== undefined) {
    return { ...event, directory: carryOutputs(event.directory) };
  }
  return event;
}

/** Only regular files: a session from elsewhere may name anything. */
function carry(path: string, directory: string, take: (from: string, to: string) => void): string {
  const own = join(directory, basename(path));
  if (!lstatSync(path).isFile()) return path;
  if (lstatSync(own, { throwIfNoEntry: false })) return own;
  try {
    take(path, own);
  } catch {
    // Not every file system has hard links.
    copy(path, own);
  }
  return own;
}

function copy(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function attempt(old: string, work: () => string): string {
  try {
    return work();
  } catch {
    // Missing, or the disk is full: the copy is useful without it.
    return old;
  }
}
