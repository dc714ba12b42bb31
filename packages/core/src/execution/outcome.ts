import type { Envelope, FailureEnvelope, HostErrorCode, JsonObject } from "@ikigai/protocol";
import { onOneLine } from "@ikigai/system";

/** The result of a call. */
export interface Outcome {
  /** What the model gets: `tool_success: true` with the tool's result, or `false` with an error. */
  readonly envelope: Envelope;
  /**
   * The envelope as JSON text on one line, to be sent to the model. Contains the tool's answer as it was printed: twenty-digit
   * numbers and duplicate keys are kept, which `envelope` loses.
   */
  readonly json: string;
  /** Time from starting the tool to the end of the call, in milliseconds; 0 if it was not started. */
  readonly durationMs: number;
  /** The file with the whole output, if it was longer than `maxOutputBytes`. The caller removes it. */
  readonly overflowFile?: string;
  /** Hints for people, not for the model, one sentence each: processes left behind, how to allow more time. */
  readonly notes: readonly string[];
}

/** Optional fields of a failure. */
export type FailureDetails = Partial<Pick<FailureEnvelope, "exit_code" | "stdout" | "stderr">>;

/** Builds the envelope of a failed call. */
export function failureEnvelope(code: HostErrorCode, error: string, details: FailureDetails = {}): FailureEnvelope {
  return { tool_success: false, error, error_code: code, exit_code: null, stdout: "", stderr: "", ...details };
}

/** The outcome of a call that was never started: denied by the user, or cancelled before its turn. */
export function failedOutcome(code: HostErrorCode, error: string): Outcome {
  const envelope = failureEnvelope(code, error);
  return { envelope, json: JSON.stringify(envelope), durationMs: 0, notes: [] };
}

/** The outcome of a call that the host answers itself, as the tool would. */
export function answeredOutcome(result: JsonObject): Outcome {
  return {
    envelope: { tool_success: true, result },
    json: successJson(JSON.stringify(result)),
    durationMs: 0,
    notes: [],
  };
}

/** Wraps a tool's text unparsed: parsing and printing would lose big numbers and duplicate keys. */
export function successJson(text: string): string {
  return `{"tool_success":true,"result":${onOneLine(text)}}`;
}
