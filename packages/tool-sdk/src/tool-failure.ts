import type { ToolErrorCode } from "@ikigai/protocol";

/** What may stand beside `error` and `error_code` in an answer. */
export interface FailureDetails {
  /** What is close to what was asked for, or what to do instead. */
  readonly hint?: string;
  /** Line numbers the failure is about, counted from 1. */
  readonly lines?: readonly number[];
  /** What the user can do about it. */
  readonly help?: { readonly steps: readonly string[] };
}

/** A code of a tool's own. Editors still offer the protocol's. */
export type OwnErrorCode = string & Record<never, never>;

/**
 * Ends a call with an answer the model can act on.
 *
 * Thrown only inside a tool; `serve` catches it and prints the error object of the protocol. Any other thrown value is a
 * bug in the tool: the process exits 1 with the stack on stderr.
 */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly code: ToolErrorCode | OwnErrorCode;
  readonly details: FailureDetails;

  constructor(code: ToolErrorCode | OwnErrorCode, message: string, details: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
