// What a model gets for a call: the envelope with the tool's answer, or with why it has none.

import type { JsonObject } from "./json.ts";
import type { IgnoredVisual } from "./visual.ts";

/** The answer of a tool that worked, as the model gets it. */
export interface SuccessEnvelope {
  /** Tells it from a `FailureEnvelope`. */
  tool_success: true;
  /** The object the tool printed, also if it reports an error (`ErrorAnswer`). */
  result: JsonObject;
  /** The images of the answer that the model does not see; absent if it sees all. */
  images_ignored?: readonly IgnoredFile[];
  /** The documents of the answer that the host ignores. */
  documents_ignored?: readonly IgnoredFile[];
  /** How many images are gone since: the model does not accept them, or a resumed session has lost them. */
  images_left_out?: number;
  /** How many documents are gone since, for the same reasons. */
  documents_left_out?: number;
  /** The visuals of the answer that are not drawn; absent if all are. */
  visual_ignored?: readonly IgnoredVisual[];
  /** Text for the model: what the user's hooks add, and how the user changed the call. */
  hook_context?: string;
  /** What the sandbox kept a call that failed from, and how to let it: sentences. */
  sandbox?: string;
  /** What an edit has changed in the errors of the project; absent if nothing, or nothing is known. */
  diagnostics?: DiagnosticsReport;
}

/** What is wrong since an edit that was not before. */
export interface DiagnosticsReport {
  /** Errors first, at most 10. */
  new: readonly DiagnosticProblem[];
  /** How many more are new. */
  more?: number;
  /** How many of those before are gone. */
  fixed: number;
}

/** An error or a warning of a compiler or a language server. */
export interface DiagnosticProblem {
  /** Relative to the project, if it is in there. */
  path: string;
  /** From 1. */
  line: number;
  /** Warnings only if the user wants them. */
  severity: "error" | "warning";
  /** What is wrong, in the words of the compiler or server. */
  message: string;
  /** What reports it, such as `ts` or `Pyright`. */
  source?: string;
  /** Its name or number there, such as `2322`. */
  code?: string;
}

/** An image or a document of an answer that the host ignores. */
export interface IgnoredFile {
  /** As the tool named it. */
  path: string;
  /** Why: the end of a sentence. */
  reason: string;
}

/** The answer for a call that gave no result, as the model gets it: the same shape for every failure. */
export interface FailureEnvelope {
  /** Tells it from a `SuccessEnvelope`. */
  tool_success: false;
  /** One sentence for the model. */
  error: string;
  /** Why there is no result. */
  error_code: HostErrorCode;
  /** 128+N after signal N; null if the tool never ran or was ended by the host. */
  exit_code: number | null;
  /** Head and tail of the tool's stdout, at most `maxFailureStreamBytes`. */
  stdout: string;
  /** Head and tail of the tool's stderr, at most `maxFailureStreamBytes`. */
  stderr: string;
  /** Text for the model: what the user's hooks add, and how the user changed the call. */
  hook_context?: string;
  /** What the sandbox kept a call that failed from, and how to let it: sentences. */
  sandbox?: string;
}

/** The result of a call, as the model gets it. */
export type Envelope = SuccessEnvelope | FailureEnvelope;

/** What a tool prints if its operation failed: exit code 0 and this object. */
export interface ErrorAnswer {
  /** One sentence for the model. */
  error: string;
  /** One of `ToolErrorCode`, or the tool's own. */
  error_code: string;
  /** What the user can do about it, one step per sentence. */
  help?: {
    /** One sentence each. */
    steps: string[];
  };
}

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
  /** An argument has a wrong type, or is not what the schema allows. */
  | "INVALID_PARAMS"
  /** A regular expression or a glob pattern is not valid. */
  | "INVALID_PATTERN"
  /** Only of `glob`: a directory could not be read. */
  | "READ_ERROR"
  /** There is too much for the memory. */
  | "OUT_OF_MEMORY"
  /** A key or a login is missing; `help` of the answer says how to get it. */
  | "MISSING_CREDENTIALS";
