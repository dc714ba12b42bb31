import { closeSync } from "node:fs";
import { openRegularFile } from "@ikigai/system";
import { AgentError } from "../model/agent-error.ts";
import { readStored, sessionFiles } from "./session-files.ts";

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
