import { IkigaiError } from "@ikigai/core/errors";
import type { ModelErrorCode } from "@ikigai/models";
import { LockError, WriteConflict } from "@ikigai/system";

/** Why the agent cannot do what it was asked to do. */
export type AgentErrorCode =
  | ModelErrorCode
  /** An option of another type or name, a rule that cannot be parsed, or a directory that cannot be used. */
  | "invalid_option"
  /** The configured sandbox does not work here. */
  | "sandbox_unavailable"
  /** The session is already open, in this process or another one. */
  | "session_open"
  /** The configuration cannot be read, or its sandbox, permission, tools or agents settings are invalid. */
  | "config"
  /** A rule cannot be added to the configuration file. */
  | "rule_not_saved"
  /** There is no such setting, or its value is invalid. */
  | "invalid_setting"
  /** The configuration file cannot be changed. */
  | "config_not_saved"
  /** The text is not a key, or the file of keys cannot be changed. */
  | "key_not_stored"
  /** No session has this ID or was started in this directory. */
  | "session_not_found"
  /** Several sessions begin with this ID. */
  | "session_ambiguous"
  /** The session file cannot be read or is not a session file. */
  | "session_unreadable"
  /** The session is not being saved, permanently or at the moment. */
  | "session_not_saved"
  /** What the agent that started this one grants it cannot be read or used. */
  | "grant"
  /** A file would be restored to a different place. */
  | "file_not_restored"
  /** Without git, or without anything saved, there is nothing to undo. */
  | "undo_unavailable"
  /** Files changed meanwhile, something is in the way, or git failed. Nothing was changed. */
  | "undo_failed";

/** An expected failure of the agent. The message is for people and contains no keys. */
export class AgentError extends IkigaiError<AgentErrorCode> {
  /** Always `AgentError`. */
  override readonly name = "AgentError";
}

/** Turns the errors of `@ikigai/system` about other processes into an AgentError; returns other errors unchanged. */
export function fromSystem(error: unknown, code: AgentErrorCode): unknown {
  const isExpected = error instanceof LockError || error instanceof WriteConflict;
  return isExpected ? new AgentError(code, error.message, { cause: error }) : error;
}
