import type { AgentErrorCode } from "@ikigai/agent/internal";
import type { IkigaiError } from "@ikigai/core/ikigai-error";
import type { RefusalCode } from "@ikigai/tool-packages";

/** What `ikigai` exits with. Beyond 128 stands the number of a signal, as shells have it. */
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

/** Why the command cannot do what it was asked, where neither the agent nor the installer has a code for it. */
export type CommandErrorCode =
  /** The command line makes no sense. */
  | "usage"
  /** The command is one of other agents; the message says what to do instead. */
  | "other_command"
  /** The working directory or the home cannot be used. */
  | "cannot_start"
  /** The session has no such call, or several. */
  | "call_not_found"
  /** A recorded call cannot be made again: it never ran, its tool or directory is gone, or it is denied. */
  | "call_not_repeatable";

interface FailureExit {
  readonly exitCode: number;
  /** Whether it helps to read how the command is used. */
  readonly pointsToHelp?: true;
}

const failed: FailureExit = { exitCode: exitCodes.failed };
const usage: FailureExit = { exitCode: exitCodes.usage, pointsToHelp: true };
const unusable: FailureExit = { exitCode: exitCodes.usage };

/** How the command ends for each code of an expected failure. */
const failureExits: Readonly<Record<AgentErrorCode | RefusalCode | CommandErrorCode, FailureExit>> = {
  usage,
  other_command: unusable,
  cannot_start: unusable,
  config: unusable,
  sandbox_unavailable: failed,
  refused: failed,
  call_not_found: failed,
  call_not_repeatable: failed,
  invalid_option: usage,
  session_open: usage,
  session_not_found: usage,
  session_ambiguous: usage,
  session_unreadable: usage,
  session_not_saved: failed,
  rule_not_saved: failed,
  invalid_setting: unusable,
  config_not_saved: failed,
  file_not_restored: failed,
  configuration: failed,
  not_understood: failed,
  unauthorized: failed,
  bad_request: failed,
  context_too_long: failed,
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
