import { type Recording, readRecording } from "@ikigai/agent/internal";
import type { Places } from "./places.ts";

/**
 * What happened in a session; in the last one of this directory, unless an id is given.
 *
 * @throws as `readRecording` does.
 */
export function openRecording({ home, projectDir }: Places, id: string | undefined): Recording {
  return readRecording({ home, cwd: projectDir, id });
}
