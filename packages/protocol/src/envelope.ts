import type { HostErrorCode } from "./error-code.ts";
import type { JsonObject } from "./json.ts";

/** A tool's answer, as the model gets it. `result` is the tool's object, also when that object reports an error. */
export interface SuccessEnvelope {
  tool_success: true;
  result: JsonObject;
}

/** What the model gets when the tool itself failed, so that it always sees the same shape. */
export interface FailureEnvelope {
  tool_success: false;
  /** One sentence for the model. */
  error: string;
  error_code: HostErrorCode;
  /** 128+N after signal N; null when the tool never ran or did not end by itself. */
  exit_code: number | null;
  /** Head and tail of what the tool had printed, at most 2,048 bytes. */
  stdout: string;
  /** Head and tail of what the tool had printed to stderr, at most 2,048 bytes. */
  stderr: string;
}

/** What came of a call, as the model gets it. */
export type Envelope = SuccessEnvelope | FailureEnvelope;

/** What a tool prints when it worked and its operation did not: exit code 0, and this object. */
export interface ErrorAnswer {
  error: string;
  error_code: string;
  /** What the user can do about it. */
  help?: { steps: string[] };
}
