/** Why a call has no result: reported by the host with `"tool_success": false`. */
export type HostErrorCode =
  /** The registry has no tool of that name. */
  | "TOOL_NOT_FOUND"
  /** The call exceeded its time limit. */
  | "TOOL_TIMEOUT"
  /** The tool exited with a code other than 0, or was killed by a signal. */
  | "TOOL_CRASHED"
  /** The tool exited with 0, but its stdout is not one JSON object. */
  | "INVALID_OUTPUT"
  /** The arguments are not a JSON object. */
  | "INVALID_PARAMS"
  /** The tool was stopped because its output exceeded `maxOverflowBytes`, or its answer cannot be cut to the limit. */
  | "OUTPUT_TOO_LARGE"
  /** The tool could not be started, or a project's file has changed since the user trusted it. */
  | "TOOL_UNAVAILABLE"
  /** The user interrupted the call. */
  | "TOOL_CANCELLED"
  /** The process of a service ended during the call. */
  | "SERVICE_DIED"
  /** The user denied the call. */
  | "TOOL_DENIED";

/** Why an operation failed: the `error_code` of the tools that ship with ikigai. Other tools may define their own. */
export type ToolErrorCode =
  /** There is no file at this path. */
  | "FILE_NOT_FOUND"
  /** The system does not allow it. */
  | "PERMISSION_DENIED"
  /** The disk is full, or a quota is exceeded. */
  | "NO_SPACE"
  /** It could not be opened, for example because it is a directory. */
  | "OPEN_FAILED"
  /** It could not be read. */
  | "READ_FAILED"
  /** It could not be written, or has changed in the meantime. */
  | "WRITE_FAILED"
  /** It has no positions: a FIFO or a socket. */
  | "SEEK_FAILED"
  /** It has no size: a device. */
  | "SIZE_FAILED"
  /** The text or the name does not exist. */
  | "NOT_FOUND"
  /** The text exists more than once. */
  | "NOT_UNIQUE"
  /** An argument has the right type, but cannot be used. */
  | "INVALID_ARG"
  /** A regular expression or a glob pattern is not valid. */
  | "INVALID_PATTERN"
  /** Only of `glob`: a directory could not be read. */
  | "READ_ERROR"
  /** There is too much for the memory. */
  | "OUT_OF_MEMORY"
  /** A key or a login is missing; `help` of the answer says how to get it. */
  | "MISSING_CREDENTIALS";
