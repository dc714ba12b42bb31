import { dirname } from "node:path";
import type { RecordedCall, Recording, ToolStart } from "@ikigai/agent";
import type { ToolScope } from "@ikigai/protocol";

/** A recorded call with everything that is needed to make it again. What an old session does not tell is worked out. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly sessionId: string;
  readonly path: string;
  readonly scope: ToolScope;
  readonly cwd: string;
  readonly projectDir: string;
  /** Of the executable then; absent when it was not recorded. */
  readonly sha256?: string;
  /** The sandbox it ran in. */
  readonly sandbox?: { readonly network: boolean };
  /** The protocol's variables, as they were. */
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined for a call that never ran: it was refused, or there was no such tool. */
export function madeCall({ id, name, arguments: args, start }: RecordedCall, session: Recording): MadeCall | undefined {
  if (!start) return undefined;
  const { path, sha256, sandbox, cwd = session.cwd, env = {} } = start;
  const projectDir = env.IKIGAI_PROJECT_DIR ?? session.cwd;
  const scope = scopeOf(start, projectDir);
  return {
    id,
    name,
    arguments: args,
    sessionId: session.id,
    path,
    scope,
    cwd,
    projectDir,
    ...(sha256 !== undefined && { sha256 }),
    ...(sandbox && { sandbox }),
    env: {
      IKIGAI_PROTOCOL: "1",
      IKIGAI_TOOL_NAME: name,
      IKIGAI_TOOL_DIR: dirname(path),
      IKIGAI_TOOL_SCOPE: scope,
      IKIGAI_SESSION_ID: session.id,
      IKIGAI_CALL_ID: id,
      ...env,
    },
  };
}

function scopeOf({ path, scope }: ToolStart, projectDir: string): ToolScope {
  return scope ?? (path.startsWith(`${projectDir}/.ikigai/`) ? "project" : "user");
}
