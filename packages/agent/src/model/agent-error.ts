import { IkigaiError } from "@ikigai/core/ikigai-error";
import { LockError, WriteConflict } from "@ikigai/system";
import type { ModelErrorCode } from "./model-error.ts";

/** Why the agent cannot do what it was asked. */
export type AgentErrorCode =
  | ModelErrorCode
  /** A rule that cannot be parsed, or a directory that cannot be used. */
  | "invalid_option"
  /** The configuration wants a sandbox that cannot be set up here. */
  | "sandbox_unavailable"
  /** Another process has the session open. */
  | "session_open"
  /** The configuration cannot be read, or what it says of the sandbox, permission or tools is not clear. */
  | "config"
  /** The file of the configuration has no place for a rule. */
  | "rule_not_saved"
  /** There is no such setting, or its value is not what the setting takes. */
  | "invalid_setting"
  /** The file of the configuration cannot be changed. */
  | "config_not_saved"
  /** No session has this id or this directory. */
  | "session_not_found"
  /** Several sessions begin with this id. */
  | "session_ambiguous"
  /** The file of the session cannot be read, or is not one. */
  | "session_unreadable"
  /** The session is not being saved, or not at the moment. */
  | "session_not_saved"
  /** A file would be restored elsewhere than where it was. */
  | "file_not_restored";

/** An expected failure of the agent. The message is for people and free of keys. */
export class AgentError extends IkigaiError<AgentErrorCode> {
  override readonly name = "AgentError";
}

/** The error to throw in place of what `@ikigai/system` throws when another process is in the way; all else as it is. */
export function fromSystem(error: unknown, code: AgentErrorCode): unknown {
  const isExpected = error instanceof LockError || error instanceof WriteConflict;
  return isExpected ? new AgentError(code, error.message, { cause: error }) : error;
}

/**
 * What to tell the user of an expected failure, or of what the system does not allow.
 *
 * @throws the error itself when it is neither: that is a bug, and has to look like one.
 */
export function expectedMessage(error: unknown): string {
  if (error instanceof IkigaiError) return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  if (error instanceof Error && "syscall" in error) return error.message;
  throw error;
}
