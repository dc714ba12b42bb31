import type { Envelope, FailureEnvelope, HostErrorCode } from "@ikigai/protocol";
import { onOneLine } from "@ikigai/system";

/** How a call ended. */
export interface Outcome {
  readonly envelope: Envelope;
  /**
   * The envelope as the model gets it, on one line. The tool's own text is in it as it was printed: numbers of twenty digits
   * and keys that come twice survive, which they do not in `envelope`.
   */
  readonly json: string;
  /** From the start of the tool to the end of the call, in milliseconds. */
  readonly durationMs: number;
  /** Where all of the output is, if it was longer than the model is shown. The caller removes it. */
  readonly overflowFile?: string;
  /** What people may want to know and the model need not, a sentence each: processes left behind, how to get more time. */
  readonly notes: readonly string[];
}

/** What is known of a failure beside its code and its sentence. */
export type FailureDetails = Partial<Pick<FailureEnvelope, "exit_code" | "stdout" | "stderr">>;

/** What the model gets when there is no result. */
export function failureEnvelope(code: HostErrorCode, error: string, details: FailureDetails = {}): FailureEnvelope {
  return { tool_success: false, error, error_code: code, exit_code: null, stdout: "", stderr: "", ...details };
}

/** The end of a call whose tool was never started: refused by the user, cancelled before its turn. */
export function failedOutcome(code: HostErrorCode, error: string): Outcome {
  const envelope = failureEnvelope(code, error);
  return { envelope, json: JSON.stringify(envelope), durationMs: 0, notes: [] };
}

/** The JSON of a success: the tool's text goes in as it is, for no parser and printer in between keeps all of it. */
export function successJson(text: string): string {
  return `{"tool_success":true,"result":${onOneLine(text)}}`;
}
