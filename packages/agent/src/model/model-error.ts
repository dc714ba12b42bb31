import { IkigaiError, type IkigaiErrorOptions } from "@ikigai/core/ikigai-error";

/** What went wrong between us and a model. */
export type ModelErrorCode =
  /** No model of that name, no key, or a base URL that is none. Nothing was sent. */
  | "configuration"
  /** The built-in interpreter does not understand the request. Nothing was run. */
  | "not_understood"
  /** The provider refuses the key. */
  | "unauthorized"
  /** The provider refuses the request itself. */
  | "bad_request"
  /** The conversation is longer than the model reads. */
  | "context_too_long"
  | "rate_limited"
  /** The provider is overloaded or broken: 408, 409, 5xx. */
  | "unavailable"
  /** No connection: refused, no such host, reset, a bad certificate. */
  | "network"
  /** Nothing came for too long. */
  | "timeout"
  /** What came is not what the provider's format allows, or it broke off. */
  | "bad_stream"
  /** The address answers, and is no model server: HTML, an empty body, a redirect elsewhere. */
  | "not_a_model";

export interface ModelErrorOptions extends IkigaiErrorOptions {
  /** The HTTP status, when there was one. */
  readonly status?: number;
  /** What the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The same request may work in a moment. */
  readonly retryable?: boolean;
  /** How often it may be sent again at most, where that is less than the patience allows: each answer costs money. */
  readonly maxRetries?: number;
}

/** Ends a model's stream. The message is one sentence for the user, and free of keys. */
export class ModelError extends IkigaiError<ModelErrorCode> {
  override readonly name = "ModelError";
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly retryable: boolean;
  readonly maxRetries: number | undefined;

  constructor(code: ModelErrorCode, message: string, options: ModelErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.retryable = options.retryable ?? false;
    this.maxRetries = options.maxRetries;
  }
}
