// The recorded session of --replay. Loaded only with that option.

import type { Model } from "@ikigai/models";
import { type RecordedAnswers, type Recording, readRecording, recordedAnswers, recordedModel } from "@ikigai/session";
import { findPlaces } from "../host/places/find-places.ts";

/** A recorded session that takes the place of tools, and of the model unless another is wanted. */
export interface ReplayedSession {
  readonly recording: Recording;
  readonly answers: RecordedAnswers;
  readonly model: Model;
}

/**
 * Reads the session of `--replay`.
 *
 * @throws AgentError if it cannot be found or read.
 */
export function readReplayed(id: string): ReplayedSession {
  const { home, projectDir } = findPlaces(process.env);
  const recording = readRecording({ home, cwd: projectDir, id });
  return { recording, answers: recordedAnswers(recording), model: recordedModel(recording) };
}
