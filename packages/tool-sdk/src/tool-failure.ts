import type { ToolErrorCode } from "@ikigai/protocol";

/** Optional fields of a failure, next to `error` and `error_code`. */
export interface FailureDetails {
  /** The closest match, or what to do instead: one sentence for the model. */
  readonly hint?: string;
  /** The text that comes closest to the text that was looked for, ready to be sent back. */
  readonly found?: string;
  /** Line numbers of the failure, from 1. */
  readonly lines?: readonly number[];
  /** What the user can do, step by step. */
  readonly help?: {
    /** One sentence each. */
    readonly steps: readonly string[];
  };
}

/**
 * Ends a call with an answer the model can act on.
 *
 * Thrown only inside a tool; `serve` catches it and prints the error object of the protocol. Any other thrown value is a
 * bug in the tool: the process exits 1 with the stack on stderr.
 *
 * `Code` is the protocol's codes by default. For a tool's own code, name it: `new ToolFailure<"RATE_LIMITED">(…)`, or
 * declare it in `errorCodes` and call `fail`.
 */
export class ToolFailure<Code extends string = ToolErrorCode> extends Error {
  override readonly name = "ToolFailure";
  readonly code: Code;
  readonly details: FailureDetails;

  constructor(code: NoInfer<Code>, message: string, details: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
