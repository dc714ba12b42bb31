import type { AgentErrorCode } from "@ikigai/agent/internal";
import type { IkigaiError } from "@ikigai/core/ikigai-error";
import type { RefusalCode } from "@ikigai/tool-packages";

/** The exit codes of `ikigai`. Above 128: 128 plus a signal number, as in shells. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A bug in ikigai itself; sysexits' EX_SOFTWARE. */
  bug: 70,
  hangup: 129,
  interrupted: 130,
  quit: 131,
  brokenPipe: 141,
  terminated: 143,
} as const;

/** Codes of the command's own failures, besides those of the agent and the installer. */
export type CommandErrorCode =
  /** The command line is invalid. */
  | "usage"
  /** The working directory or the home cannot be used. */
  | "cannot_start"
  /** No tool or file has this name. */
  | "tool_not_found"
  /** The session has no such call, or several. */
  | "call_not_found"
  /** A recorded call cannot be repeated: it never ran, its tool or directory no longer exists, or it is denied. */
  | "call_not_repeatable"
  /** The model wrote no AGENTS.md. */
  | "no_draft"
  /** AGENTS.md could not be written, and is as it was. */
  | "not_written"
  /** A file of `--mcp` cannot be used. */
  | "servers_unreadable"
  /** An MCP server of `--mcp` cannot be used. */
  | "servers_not_started";

interface FailureExit {
  readonly exitCode: number;
  /** Whether to point to the command's help. */
  readonly pointsToHelp?: true;
}

const failed: FailureExit = { exitCode: exitCodes.failed };
const usage: FailureExit = { exitCode: exitCodes.usage, pointsToHelp: true };
const unusable: FailureExit = { exitCode: exitCodes.usage };

/**
 * Exit code and help hint for each failure code: 2 when the command line or the configuration must change before anything can
 * start, 1 when something failed or does not exist here.
 */
const failureExits: Readonly<Record<AgentErrorCode | RefusalCode | CommandErrorCode, FailureExit>> = {
  usage,
  cannot_start: unusable,
  config: unusable,
  sandbox_unavailable: unusable,
  grant: unusable,
  refused: failed,
  tool_not_found: failed,
  call_not_found: failed,
  call_not_repeatable: failed,
  no_draft: failed,
  not_written: failed,
  servers_unreadable: unusable,
  servers_not_started: failed,
  invalid_option: usage,
  session_open: failed,
  session_not_found: failed,
  session_ambiguous: failed,
  session_unreadable: failed,
  session_not_saved: failed,
  rule_not_saved: failed,
  invalid_setting: unusable,
  config_not_saved: failed,
  key_not_stored: failed,
  undo_failed: failed,
  undo_unavailable: failed,
  file_not_restored: failed,
  configuration: failed,
  not_understood: failed,
  unauthorized: failed,
  bad_request: failed,
  context_too_long: failed,
  request_too_large: failed,
  rate_limited: failed,
  unavailable: failed,
  network: failed,
  timeout: failed,
  bad_stream: failed,
  not_a_model: failed,
};

export function failureExit({ code }: IkigaiError): FailureExit {
  return (Object.hasOwn(failureExits, code) && failureExits[code as keyof typeof failureExits]) || failed;
}
