/** How long `X-tool --schema` may take, in milliseconds. A schema is a constant; a second covers a slow interpreter's start. */
export const schemaTimeoutMs = 1_000;

/** How long a schema may be, in bytes. Every schema is sent to the model with every request. */
export const maxSchemaBytes = 8_192;

/** How long a call may take when neither the user nor the tool asks for another time, in milliseconds. */
export const defaultTimeoutMs = 30_000;

/** The longest time a tool may ask for, in milliseconds. */
export const maxTimeoutMs = 600_000;

/** How much of a tool's stdout reaches the model when nobody asks for another size, in bytes. */
export const defaultMaxOutputBytes = 65_536;

/** The largest output a tool may ask for, in bytes. */
export const maxMaxOutputBytes = 1_048_576;

/**
 * How long a host listens on after a tool has exited, in milliseconds.
 *
 * A process the tool left behind may hold the pipe open for ever; what the tool itself wrote is in the pipe by then.
 */
export const drainMs = 250;

/**
 * How long a stopped tool may take to end by itself before SIGKILL, in milliseconds.
 *
 * Long enough for bash to print what its command had printed; short enough that Ctrl-C feels immediate.
 */
export const graceMs = 2_000;

/** How much output over the limit is kept in a file before the tool is stopped, in bytes. */
export const maxOverflowBytes = 50 * 1_048_576;

/** How much of a failed tool's stdout, and of its stderr, the model is shown, in bytes: half from the start, half from the end. */
export const maxFailureStreamBytes = 2_048;
