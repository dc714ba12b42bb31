// Finds sessions: by the beginning of an ID, those of a directory, the last one, and those that cannot be read.
import { closeSync, existsSync, fstatSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import { textStart } from "@ikigai/protocol";
import { namesIn, openRegularFile } from "@ikigai/system";
import { asTyped, type Conversation, followTypedCalls } from "../conversation.ts";
import { AgentError } from "../errors.ts";
import { findUndone, parseLine, type SessionLine, type SessionParent } from "../log/events.ts";
import { archivedSuffix, isHeld, logSuffix, readStored, sessionFiles, sessionsDir } from "../log/log.ts";
import { readLines } from "../log/read-log.ts";

/**
 * Returns a session's file; a unique beginning of the ID is enough.
 *
 * @throws AgentError `session_not_found` or `session_ambiguous`; `session_unreadable` if the sessions cannot be listed.
 */
export function findSession(home: string, wanted: string): string {
  const whole = join(sessionsDir(home), `${wanted}${logSuffix}`);
  if (basename(wanted) === wanted && existsSync(whole)) return whole;
  const matches = sessionFiles(home).filter((path) => wanted !== "" && basename(path).startsWith(wanted));
  const [only, second] = matches;
  if (only === undefined) throw new AgentError("session_not_found", `No session ${wanted} found.`);
  if (second !== undefined)
    throw new AgentError("session_ambiguous", `${matches.length} sessions begin with ${wanted}. Give more of the ID.`);
  return only;
}

/**
 * Whether a running process, including this one, has a session open.
 *
 * @throws as `findSession` does.
 */
export function isSessionOpen(home: string, id: string): boolean {
  return isHeld(`${findSession(home, id)}.lock`);
}

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly startedAt: Date;
  /** The time of the last event. */
  readonly changedAt: Date;
  /** The beginning of the user's first message, without those rewound at the start of the file; empty without one. */
  readonly title: string;
  readonly bytes: number;
  /** Whether it is a task that a program started, with `-p`. */
  readonly isPrint: boolean;
}

/** How much of a file is read, in bytes: the header and, almost always, the user's first message. */
const headBytes = 16_384;

/** Maximum length of the title, in characters. */
const titleLength = 100;

/**
 * Lists the sessions that users started in a directory (all, without one), last changed first. Leaves out archived ones, replays, agents, and
 * what `sessionProblems` names.
 *
 * @throws AgentError `session_unreadable` if the directory of the sessions exists and cannot be read.
 */
export function listSessions(home: string, cwd?: string): SessionSummary[] {
  const hidden = archived(home);
  return sessionFiles(home)
    .filter((path) => !hidden.has(basename(path, logSuffix)))
    .flatMap((path) => summaryOf(path) ?? [])
    .filter((summary) => cwd === undefined || [cwd, ""].includes(summary.cwd))
    .sort((a, b) => b.changedAt.getTime() - a.changedAt.getTime());
}

/**
 * Returns the session that a user talked in last, in a directory; without one, the last that a program started there.
 *
 * @throws as `listSessions` does.
 */
export function lastConversation(home: string, cwd: string): SessionSummary | undefined {
  const sessions = listSessions(home, cwd);
  return sessions.find(({ id, isPrint }) => !isPrint || isTakenUp(home, id)) ?? sessions[0];
}

/** Notes that a user talks on in a session, if a program started it. */
export function takeUp({
  home,
  conversation: { id, cwd, log },
}: {
  readonly home: string;
  readonly conversation: Conversation;
}): void {
  const isPrint = listSessions(home, cwd).some((summary) => summary.id === id && summary.isPrint);
  if (isPrint && !isTakenUp(home, id)) log.append({ type: "taken_up" });
}

function isTakenUp(home: string, id: string): boolean {
  for (const line of readLines(join(sessionsDir(home), `${id}${logSuffix}`)))
    if (line.includes('"type":"taken_up"') && parseLine(line)?.type === "taken_up") return true;
  return false;
}

/** Returns the IDs of the archived sessions: a file beside the log says so. */
export function archived(home: string): ReadonlySet<string> {
  const names = namesIn(sessionsDir(home));
  return new Set(names.flatMap((name) => (name.endsWith(archivedSuffix) ? [basename(name, archivedSuffix)] : [])));
}

/** A session that may be in no list. */
interface AnySummary extends SessionSummary {
  /** It is ikigai's own, a replay, or an agent's. */
  readonly isOther?: true;
  readonly parent?: SessionParent;
}

/** A session with a damaged first line is still a session, of an unknown directory. @param all also those that are in no list */
export function summaryOf(path: string, { all = false } = {}): AnySummary | undefined {
  const head = readHead(path);
  if (!head) return undefined;
  const [first = "", ...lines] = head.text.split("\n");
  const header = parseLine(first);
  const isWhole = header?.type === "session";
  const isOther = isWhole && (header.isOwn === true || (header.replayOf ?? header.parent) !== undefined);
  if (isOther && !all) return undefined;
  if (!isWhole && !lines.some((line) => parseLine(line))) return undefined;
  const { changedAt, bytes } = head;
  return {
    id: basename(path, logSuffix),
    cwd: isWhole ? header.cwd : "",
    startedAt: isWhole ? new Date(header.time) : changedAt,
    changedAt,
    title: titleOf(lines),
    bytes,
    isPrint: isWhole && header.isPrint === true,
    ...(isOther && { isOther }),
    ...(isWhole && header.parent && { parent: header.parent }),
  };
}

function titleOf(lines: readonly string[]): string {
  const isUser = (line: string) => line.includes('"type":"user"');
  const isUndone = findUndone(lines);
  const kept = lines.findIndex((line, index) => isUser(line) && !isUndone(index));
  // The message that replaced a rewound one may be beyond the head: then the rewound one is still a better title than none.
  const at = kept < 0 ? lines.findIndex(isUser) : kept;
  const line = lines[at] ?? "";
  const event = parseLine(line);
  // A long first message may not end within the head; its beginning is enough for a title.
  const text =
    event?.type === "user" ? saidIn(event, lines.slice(0, at)) : (/"text":"((?:[^"\\]|\\.)*)/.exec(line)?.[1] ?? "");
  return textStart(text.replace(/\s+/g, " ").trim(), titleLength);
}

function saidIn(event: SessionLine & { type: "user" }, before: readonly string[]): string {
  if (!event.typed) return event.text;
  const typedIn = followTypedCalls();
  for (const line of before) {
    const earlier = parseLine(line);
    if (earlier) typedIn(earlier);
  }
  return asTyped({ text: event.text, ...typedIn(event)?.report });
}

function readHead(path: string): { text: string; changedAt: Date; bytes: number } | undefined {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return undefined;
    const stats = fstatSync(fd);
    const buffer = Buffer.alloc(headBytes);
    const bytes = readSync(fd, buffer, 0, headBytes, 0);
    return { text: buffer.subarray(0, bytes).toString("utf8"), changedAt: stats.mtime, bytes: stats.size };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** More sessions have the same problem, almost always. */
const maxNamed = 3;

/** Says which sessions cannot be read, and so are in no list, in sentences with the fix; at most 4 of them. Opens each session. */
export function sessionProblems(home: string): string[] {
  try {
    const problems = sessionFiles(home).flatMap((path) => problemOf(path, home) ?? []);
    const more = problems.length - maxNamed;
    return [
      ...problems.slice(0, maxNamed),
      ...(more > 0 ? [`${more} more session${more === 1 ? "" : "s"} cannot be read.`] : []),
    ];
  } catch (error) {
    if (error instanceof AgentError) return [error.message];
    throw error;
  }
}

function problemOf(path: string, home: string): string | undefined {
  try {
    const fd = readStored(path, home, openRegularFile);
    if (fd === undefined) return `The session ${path} cannot be read: it is not a regular file. Move it away.`;
    closeSync(fd);
    return undefined;
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    throw error;
  }
}

/**
 * For a list without the wanted session: it may be one that cannot be read.
 *
 * @throws AgentError `session_unreadable` if there is such a session.
 */
export function requireReadable(home: string): void {
  const problems = sessionProblems(home);
  if (problems.length > 0) throw new AgentError("session_unreadable", problems.join("\n"));
}
