import { type Recording, readRecording, SessionError } from "@ikigai/agent/internal";
import { UsageError } from "../args/usage-error.ts";
import type { Places } from "./places.ts";

/**
 * What happened in a session; in the last one of this directory, unless an id is given.
 *
 * @throws UsageError when there is no such session.
 */
export function openRecording({ home, projectDir }: Places, id: string | undefined): Recording {
  try {
    return readRecording({ home, cwd: projectDir, id });
  } catch (error) {
    if (error instanceof SessionError) throw new UsageError(error.message);
    throw error;
  }
}
