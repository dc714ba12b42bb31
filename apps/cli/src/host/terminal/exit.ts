// How the command ends: the exit codes, the one way to exit, and the signals that lead there.

import { writeSync } from "node:fs";
import type { IkigaiError } from "@ikigai/core/errors";
import { graceMs } from "@ikigai/protocol/limits";
import type { AgentErrorCode } from "@ikigai/session";
import { beforeExit, endings } from "@ikigai/system/before-exit";
import type { Refusal } from "@ikigai/tool-packages";

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
const failureExits: Readonly<Record<AgentErrorCode | Refusal["code"] | CommandErrorCode, FailureExit>> = {
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

/**
 * Time limit of the endings, in milliseconds: a tool has two seconds after SIGTERM, a service two more before it, and the end must
 * be logged. After that the process exits anyway, and core's watchdog kills what still runs.
 */
const patienceMs = 2 * graceMs + 500;

let exitCode: number | undefined;

export function isShuttingDown(): boolean {
  return exitCode !== undefined;
}

/**
 * The only way to exit: runs the endings and ends the process. The first code counts. Never settles.
 *
 * @param isUrgent if the process is already ending, exits without waiting, since the user asked twice. The last endings still
 * run; they take no time.
 */
export function shutdown(code: number, { isUrgent = false } = {}): Promise<never> {
  const never = new Promise<never>(() => {});
  if (exitCode !== undefined) {
    if (isUrgent) exit(exitCode);
    return never;
  }
  exitCode = code;
  setTimeout(() => exit(code), patienceMs);
  Promise.allSettled([...endings.first].map(async (ending) => ending())).then(() => exit(code));
  return never;
}

function exit(code: number): never {
  for (const ending of endings.last) {
    // An ending that throws, or that triggers another exit, must not prevent the others.
    endings.last.delete(ending);
    try {
      ending();
    } catch (error) {
      writeError(error);
    }
  }
  process.exit(code);
}

/** Bypasses `printError`, which may be the reason for the exit. */
function writeError(error: unknown): void {
  try {
    writeSync(2, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  } catch {
    // stderr is closed; the exit code still reports the failure.
  }
}

const signalCodes = { SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hangup, SIGQUIT: exitCodes.quit } as const;

/** Handlers of Ctrl-C; the last one is active. */
const handlers: (() => void)[] = [];

/** Makes signals shut the process down cleanly, and Ctrl-C interrupt the current work. */
export function listenToSignals(): void {
  for (const [name, code] of Object.entries(signalCodes)) {
    // A closed window sends it twice, from the terminal and from the shell, so a second one is not urgent.
    const isUrgent = name !== "SIGHUP";
    process.on(name, () => void shutdown(code, { isUrgent }));
  }
  process.on("SIGINT", interrupt);
}

/** Runs the active handler of Ctrl-C; without one, ends ikigai. */
export function interrupt(): void {
  const handler = handlers.at(-1);
  if (handler) handler();
  else void shutdown(exitCodes.interrupted, { isUrgent: true });
}

/** Sets what Ctrl-C does; returns a function that undoes it. */
export function onInterrupt(wanted: () => void): () => void {
  // Wrapped, so that each registration is distinct.
  const handler = () => wanted();
  handlers.push(handler);
  return () => {
    const index = handlers.indexOf(handler);
    if (index >= 0) handlers.splice(index, 1);
  };
}

/** Runs work that Ctrl-C stops by ending ikigai. Whenever the process ends, it aborts the work and waits for it. */
export async function untilExit<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const work = run(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return work;
  });
  const resume = onInterrupt(() => shutdown(exitCodes.interrupted, { isUrgent: true }));
  try {
    return await work;
  } finally {
    resume();
    leave();
  }
}
