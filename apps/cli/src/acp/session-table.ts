import type { SessionFlags } from "../args/parse-argv.ts";
import type { NamedServer } from "../host/servers/named-server.ts";
import { badParams, badRequest } from "./acp-error.ts";
import { type AcpSession, closeAcpSession, openAcpSession, type SendUpdate } from "./acp-session.ts";
import { projectOf, requireStored } from "./find-session.ts";

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
