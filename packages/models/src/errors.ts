// What a failed request to a model is: `ModelError` and its codes. Then the words of errors: the message of an expected one, sentences,
// and the cause behind an error.

import { IkigaiError, type IkigaiErrorOptions } from "@ikigai/core/errors";
import { unwritableDirectory } from "@ikigai/system";

/** The kind of failure of a model request. */
export type ModelErrorCode =
  /** Unknown model, no key, or an invalid base URL. Nothing was sent. */
  | "configuration"
  /** The built-in interpreter does not understand the request. Nothing was run. */
  | "not_understood"
  /** The provider rejected the key (401) or denied access (403). */
  | "unauthorized"
  /** The provider rejected the request itself. */
  | "bad_request"
  /** The conversation exceeds the model's context window. */
  | "context_too_long"
  /** The server, or a proxy or gateway before it, accepts no request of this size (413). */
  | "request_too_large"
  | "rate_limited"
  /** The provider is overloaded or broken: 408, 409, 5xx. */
  | "unavailable"
  /** No connection: refused, no such host, reset, a bad certificate. */
  | "network"
  /** No data for too long. */
  | "timeout"
  /** The response violates the provider's format, or broke off. */
  | "bad_stream"
  /** The URL responds but is not a model server: HTML, an empty body, a redirect elsewhere. */
  | "not_a_model";

/** Whether a shorter conversation may be accepted. */
export function isTooMuch({ code }: { readonly code: string }): boolean {
  return code === "context_too_long" || code === "request_too_large";
}

/** Options of a `ModelError` besides its code and message. */
export interface ModelErrorOptions extends IkigaiErrorOptions {
  /** The HTTP status, if there was one. */
  readonly status?: number;
  /** The delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the same request may work later. */
  readonly retryable?: boolean;
  /** Maximum number of retries, if less than the configured one: each response costs money. */
  readonly maxRetries?: number;
  /** The tool of the request that the provider rejected it for. */
  readonly tool?: string;
  /** Whether something in the messages (images, reasoning, their length) may be why the provider rejected the request. */
  readonly mayRejectContent?: boolean;
  /** The server that answered, for people: `Anthropic`, `The server at http://localhost:8080`. */
  readonly server?: string;
}

/** A failed model request. The message is one sentence for the user and contains no keys. */
export class ModelError extends IkigaiError<ModelErrorCode> {
  /** Always `ModelError`. */
  override readonly name = "ModelError";
  /** The HTTP status, if there was one. */
  readonly status: number | undefined;
  /** The delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may work later. */
  readonly retryable: boolean;
  /** Maximum number of retries, if less than the configured one. */
  readonly maxRetries: number | undefined;
  /** The tool of the request that the provider rejected it for. */
  readonly tool: string | undefined;
  /** Whether something in the messages (images, reasoning, their length) may be why the provider rejected the request. */
  readonly mayRejectContent: boolean;
  /** The server that answered, for people. */
  readonly server: string | undefined;

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.retryable = options.retryable ?? false;
    this.maxRetries = options.maxRetries;
    this.tool = options.tool;
    this.mayRejectContent = options.mayRejectContent ?? false;
    this.server = options.server;
  }
}

/**
 * Returns the message of an expected failure or a system error.
 *
 * @throws any other error, which is a bug and must look like one.
 */
export function expectedMessage(error: unknown): string {
  if (error instanceof IkigaiError) return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  if (isSystemError(error)) return systemMessage(error);
  throw error;
}

/** Whether the system refused something; other errors that Node throws are bugs. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** The message of a system error, in words where a user can do something about it: the end of a sentence. */
export function systemMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return "the disk is full";
  if (code === "EDQUOT") return "the disk quota is exceeded";
  return unwritableDirectory(error) ?? message;
}

/** Adds a missing full stop: servers' messages often lack it. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A server's title inside a sentence: some begin with an article. */
export function inSentence(title: string): string {
  return title.replace(/^The /, "the ");
}

/** How many causes are followed; ends cycles. */
const maxDepth = 10;

/** Returns the first error in a chain of causes that passes the test. */
export function findCause<Found>(error: unknown, test: (value: unknown) => value is Found): Found | undefined {
  let current = error;
  for (let depth = 0; depth < maxDepth && typeof current === "object" && current !== null; depth++) {
    if (test(current)) return current;
    current = (current as { cause?: unknown }).cause;
  }
  return undefined;
}
