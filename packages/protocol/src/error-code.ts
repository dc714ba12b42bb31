/** Why a call has no result: what the host reports beside `"tool_success": false`. */
export type HostErrorCode =
  /** No tool of that name is in the registry. */
  | "TOOL_NOT_FOUND"
  /** The time for the call was up. */
  | "TOOL_TIMEOUT"
  /** The tool exited with a code other than 0, or by a signal. */
  | "TOOL_CRASHED"
  /** The tool exited with 0, and its stdout is not one JSON object. */
  | "INVALID_OUTPUT"
  /** The arguments are not a JSON object. */
  | "INVALID_PARAMS"
  /** The tool was stopped because it printed more than a host keeps. */
  | "OUTPUT_TOO_LARGE"
  /** The tool could not be started. */
  | "TOOL_UNAVAILABLE"
  /** The user interrupted the call. */
  | "TOOL_CANCELLED"
  /** The user refused the call. */
  | "TOOL_DENIED";

/** Why an operation failed: what the core tools report as `error_code`. Other tools may use codes of their own. */
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
