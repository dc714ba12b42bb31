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
  | "FILE_NOT_FOUND"
  | "PERMISSION_DENIED"
  | "NO_SPACE"
  | "OPEN_FAILED"
  | "READ_FAILED"
  | "WRITE_FAILED"
  | "SEEK_FAILED"
  | "SIZE_FAILED"
  | "NOT_FOUND"
  | "NOT_UNIQUE"
  | "INVALID_ARG"
  | "INVALID_PATTERN"
  | "READ_ERROR"
  | "OUT_OF_MEMORY"
  | "MISSING_CREDENTIALS";
