import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk";
import { listSessions, requireReadable } from "@ikigai/agent/internal";
import type { SessionFlags } from "../args/parse-argv.ts";
import type { NamedServer } from "../host/servers/named-server.ts";
import { badParams, badRequest } from "./acp-error.ts";
import { type AcpSession, closeAcpSession, openAcpSession, type SendUpdate } from "./acp-session.ts";

/** Sessions that one editor may have open: more are a mistake, and each has files and processes. */
const maxSessions = 32;

/** A session that the editor wants to open. */
export interface WantedSession {
  readonly cwd: string;
  readonly id?: string;
  readonly servers: readonly NamedServer[];
}

/** The open sessions of an editor. */
export interface SessionTable {
  /** @throws RequestError if the session is not open. */
  get(id: string): AcpSession;
  /** Opens a new session, or with `id` a stored one of that directory. The servers are for this session only. */
  open(wanted: WantedSession): Promise<AcpSession>;
  /** Stops what runs in a session and closes it. */
  close(id: string): Promise<void>;
  /** Stops and closes all of them. No other can be opened afterwards. */
  closeAll(): Promise<void>;
}

/** @param sendFor returns how to send updates of a session. */
export function openSessions(
  flags: SessionFlags,
  home: string,
  sendFor: (sessionId: string) => SendUpdate,
): SessionTable {
  const sessions = new Map<string, AcpSession>();
  let opening = 0;
  let isClosed = false;

  const close = async (session: AcpSession) => {
    sessions.delete(session.agent.conversation.id);
    await closeAcpSession(session);
  };
  const openNow = async ({ cwd, id, servers }: WantedSession) => {
    const projectDir = projectOf(cwd);
    if (id !== undefined) {
      requireStored(home, id, projectDir);
      const earlier = sessions.get(id);
      if (earlier?.turn) throw badRequest(`A prompt is running in session ${id}.`);
      if (earlier) await close(earlier);
    }
    const stored = id === undefined ? {} : { session: { id } };
    const session = await openAcpSession({ flags: { ...flags, ...stored }, projectDir, servers, sendFor });
    if (isClosed) await closeAcpSession(session);
    else sessions.set(session.agent.conversation.id, session);
    return session;
  };
  return {
    get(id) {
      const session = sessions.get(id);
      if (session) return session;
      throw badParams(
        `Unknown session ${JSON.stringify(id)}. Open it with session/new, session/load or session/resume.`,
      );
    },
    async open(wanted) {
      if (isClosed || sessions.size + opening >= maxSessions)
        throw badRequest(`${maxSessions} sessions are open. Close one first.`);
      opening++;
      try {
        return await openNow(wanted);
      } finally {
        opening--;
      }
    },
    async close(id) {
      await close(this.get(id));
    },
    async closeAll() {
      isClosed = true;
      await Promise.all([...sessions.values()].map(close));
    },
  };
}

/**
 * The project of a session: its directory, symlinks resolved.
 *
 * @throws RequestError if it is not an absolute path of a directory that can be read.
 */
export function projectOf(cwd: string): string {
  if (!isAbsolute(cwd)) throw badParams(`Expected cwd to be an absolute path, got ${JSON.stringify(cwd)}.`);
  try {
    accessSync(cwd, constants.R_OK | constants.X_OK);
    if (statSync(cwd).isDirectory()) return realpathSync(cwd);
  } catch {
    // Reported below.
  }
  throw badParams(`Expected cwd to be a directory that can be read, got ${JSON.stringify(cwd)}.`);
}

/**
 * Makes sure that a stored session has exactly this ID and belongs to the project.
 *
 * @throws RequestError otherwise; AgentError if a session cannot be read, which may be this one.
 */
export function requireStored(home: string, id: string, projectDir: string): void {
  if (listSessions(home, projectDir).some((session) => session.id === id)) return;
  requireReadable(home);
  throw badParams(`Unknown session ${JSON.stringify(id)} of ${projectDir}.`);
}

/** Sessions in one answer. */
const pageLength = 100;

/** Lists the stored sessions, last changed first. */
export function storedSessions(home: string, { cwd, cursor }: ListSessionsRequest): ListSessionsResponse {
  const start = cursor ?? "0";
  if (!/^\d{1,9}$/.test(start))
    throw badParams(`Expected cursor to be one from an earlier response, got ${JSON.stringify(start)}.`);
  const all = listSessions(home, cwd == null ? undefined : projectOf(cwd)).filter((session) => session.cwd !== "");
  const end = Number(start) + pageLength;
  return {
    sessions: all.slice(Number(start), end).map(({ id, cwd: directory, title, changedAt }) => ({
      sessionId: id,
      cwd: directory,
      title,
      updatedAt: changedAt.toISOString(),
    })),
    ...(end < all.length && { nextCursor: String(end) }),
  };
}
