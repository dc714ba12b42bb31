/** Time limit for `X-tool --schema`, in milliseconds. A schema is a constant; a second covers a slow interpreter's start. */
export const schemaTimeoutMs = 1_000;

/** Maximum size of a schema, in bytes: every schema is sent to the model with every request. */
export const maxSchemaBytes = 8_192;

/** Time limit of a call if neither the user nor the tool sets one, in milliseconds. */
export const defaultTimeoutMs = 30_000;

/** The longest time limit a tool or a call may ask for, in milliseconds. */
export const maxTimeoutMs = 600_000;

/** How much of a tool's answer reaches the model if neither the user nor the tool sets a limit, in bytes. */
export const defaultMaxOutputBytes = 65_536;

/** The largest answer a tool may ask for, in bytes. */
export const maxMaxOutputBytes = 1_048_576;

/**
 * How long a host keeps reading after a tool has exited, in milliseconds.
 *
 * A process the tool left behind may hold the pipe open forever, but by that time it has the tool's own output.
 */
export const drainMs = 250;

/**
 * Time between SIGTERM and SIGKILL for a tool that is stopped, in milliseconds.
 *
 * Long enough for bash to print its command's output; short enough for Ctrl-C to feel immediate.
 */
export const graceMs = 2_000;

/** Maximum output of a call, in bytes. What exceeds the answer's limit goes to a file; beyond this the tool is stopped. */
export const maxOverflowBytes = 50 * 1_048_576;

/** Maximum nesting of a call's arguments and of an answer, in levels: what prints JSON is recursive. */
export const maxJsonLevels = 1_000;

/** How many images of an answer the model sees. */
export const maxImages = 8;

/** Maximum size of an image in an answer, in bytes. */
export const maxImageBytes = 5 * 1_048_576;

/** How many documents of an answer the model sees. */
export const maxDocuments = 4;

/** Maximum size of a document in an answer, in bytes. */
export const maxDocumentBytes = 10 * 1_048_576;

/** How much of a failed tool's stdout and stderr the model sees, in bytes each: half from the start, half from the end. */
export const maxFailureStreamBytes = 2_048;
