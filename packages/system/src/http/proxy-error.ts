/** Facts about a failed proxy besides the message. */
export interface ProxyErrorOptions {
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
