import type { RegisteredTool } from "@ikigai/core";
import { argumentsRead, changesFile, declaredAccess, fileTarget, isFileAccess } from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";

/** The files that a call affects. */
export interface CallTouch {
  /** The file it names, symlinks resolved; for a write whose path leads nowhere, the path as written. */
  readonly file?: string;
  readonly writes: boolean;
  /** Whether it runs a command, which may have been judged by the files that are there now. */
  readonly runs: boolean;
}

/** @param tool `undefined` if no tool has the name that was called. */
export function touchOf(tool: RegisteredTool | undefined, args: JsonObject, cwd: string): CallTouch {
  const declared = tool && declaredAccess(tool);
  const access = declared?.access;
  const writes = changesFile(access);
  const path = declared && isFileAccess(access) ? argumentsRead(args, declared)[access.path] : undefined;
  return {
    writes,
    runs: access?.kind === "run-command",
    ...(declared && typeof path === "string" && { file: fileTarget(path, declared, cwd) ?? path }),
  };
}

/**
 * Whether a call must wait for an earlier one of its step. Calls run in parallel, except that a write to a file and other
 * calls naming it keep their order, that calls which may read any file (a command, a search, a third-party tool) run
 * after the writes before them, and that a write waits for the commands before it: it must not change what they do.
 */
export function mustWait(later: CallTouch, earlier: CallTouch): boolean {
  if (!later.writes && !earlier.writes) return false;
  if (later.file !== undefined && earlier.file !== undefined) return later.file === earlier.file;
  return earlier.writes || earlier.runs;
}
