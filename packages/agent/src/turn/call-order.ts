import type { RegisteredTool } from "@ikigai/core";
import { type JsonObject, renameAliases } from "@ikigai/protocol";
import { changesFile, declaredAccess, isFileAccess } from "../permission/declared-access.ts";
import { realTarget } from "../permission/real-target.ts";

/** How a call stands to the files around it. */
export interface CallTouch {
  /** The file it names, links resolved; for a write that leads nowhere, the path as it was written. */
  readonly file?: string;
  readonly writes: boolean;
}

/** @param tool `undefined` when there is none of the name that was called. */
export function touchOf(tool: RegisteredTool | undefined, args: JsonObject, cwd: string): CallTouch {
  const { access, aliases = {} } = tool ? declaredAccess(tool) : {};
  const writes = changesFile(access);
  const path = isFileAccess(access) ? renameAliases(args, aliases)[access.path] : undefined;
  return { writes, ...(typeof path === "string" && { file: realTarget(path, cwd) ?? path }) };
}

/**
 * Whether a call must wait for an earlier one of its step. Calls run side by side, except that the write to a file and
 * whatever else names it keep their order, and that what could look at any file (a command, a search, somebody's tool)
 * comes after the writes the model put before it.
 */
export function mustWait(later: CallTouch, earlier: CallTouch): boolean {
  if (!later.writes && !earlier.writes) return false;
  if (later.file !== undefined && earlier.file !== undefined) return later.file === earlier.file;
  return earlier.writes;
}
