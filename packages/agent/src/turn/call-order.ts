import { canonicalArguments, type JsonObject } from "@ikigai/protocol";
import { realTarget } from "../permission/real-target.ts";

/** How a call stands to the files around it. */
export interface CallTouch {
  /** The file it names, links resolved; for a write that leads nowhere, the path as it was written. */
  readonly file?: string;
  readonly writes: boolean;
}

const writers = new Set(["file_write", "file_edit"]);

export function touchOf(name: string, json: string, cwd: string): CallTouch {
  const writes = writers.has(name);
  const { file_path: path } = canonicalArguments(name, parse(json));
  if (typeof path !== "string" || !(writes || name === "file_read")) return { writes };
  return { writes, file: realTarget(path, cwd) ?? path };
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

function parse(json: string): JsonObject {
  try {
    return (JSON.parse(json) as JsonObject | null) ?? {};
  } catch {
    return {};
  }
}
