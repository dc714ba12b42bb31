import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk";
import { listSessions, requireReadable } from "@ikigai/agent/internal";
import { badParams } from "./acp-error.ts";

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
