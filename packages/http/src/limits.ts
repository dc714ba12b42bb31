/** What one request may take. */
export interface Limits {
  /** All of it, redirects included, in milliseconds. */
  readonly totalMs: number;
  /** Until the headers of a response have arrived, in milliseconds. */
  readonly firstByteMs: number;
  /** The body after decoding, and before, in bytes. */
  readonly bodyBytes: number;
  readonly redirects: number;
}

/** A person waits: most pages take less than a second. 10 MiB of text are 100 times what a model can read. */
export const defaultLimits: Limits = {
  totalMs: 25_000,
  firstByteMs: 10_000,
  bodyBytes: 10_485_760,
  redirects: 5,
};

/** How much of the body of an error is read, in bytes. */
export const maxErrorBytes = 65_536;

/** The longest headers, in bytes: Node's own default, whatever NODE_OPTIONS says. */
export const maxHeaderBytes = 16_384;
