// What a request can fail with.

/** Why a request has no usable response. */
export type WebErrorCode =
  | "INVALID_URL"
  | "BLOCKED_ADDRESS"
  | "DNS_FAILED"
  | "CONNECT_FAILED"
  | "TLS_FAILED"
  | "HTTP_ERROR"
  | "TOO_LARGE"
  | "TOO_MANY_REDIRECTS"
  | "REDIRECT_TO_OTHER_HOST"
  | "TIMEOUT"
  | "UNSUPPORTED_TYPE";

/** Facts about a failed request besides the message: fields of the tool's answer. */
export interface WebErrorDetails {
  /** What to do instead: one sentence for the model. */
  readonly hint?: string;
  /** What the user can do, step by step. */
  readonly help?: { readonly steps: readonly string[] };
  /** Where a redirect leads that was not followed. */
  readonly location?: string;
  /** The status of the response. */
  readonly status?: number;
}

/** A request that failed in a way that a model or a user can act on. Anything else thrown is a bug. */
export class WebError extends Error {
  override readonly name = "WebError";
  readonly code: WebErrorCode;
  readonly details: WebErrorDetails;

  constructor(code: WebErrorCode, message: string, details: WebErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Facts about a failed proxy besides the message. */
interface ProxyErrorOptions {
  /** The status that the proxy responded with. */
  readonly status?: number;
  /** Whether the same request may work later. */
  readonly retryable?: boolean;
  /** The error of the connection. */
  readonly cause?: unknown;
}

/** A proxy that cannot be used: its URL is invalid (`configuration`), or it does not connect (`network`). */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly code: "configuration" | "network";
  readonly options: ProxyErrorOptions;

  constructor(code: "configuration" | "network", message: string, options: ProxyErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}
