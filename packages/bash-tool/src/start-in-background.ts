// Starts a command in the background for a host that keeps no jobs.

import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signalGroup, within } from "@ikigai/system";
import { type KeepOptions, KeptOutput } from "./output.ts";
import type { CommandEnd } from "./run-command.ts";
import { commandEnvironment, exitCodeOf, type ShellProgram, startShell } from "./shell.ts";

type BackgroundCommand = {
  readonly output: string;
  readonly exit_code: number;
  readonly pid: number;
  readonly log: string;
};

/** How a command is started in the background. */
export interface BackgroundOptions {
  /** How the output of one that ends early is kept. */
  readonly keepOutput: KeepOptions;
}

/** How long to wait for the end of a background command, in milliseconds: a mistyped one must not be reported as running. */
export const earlyEndMs = 300;

/**
 * Starts a command that outlives a call whose host keeps no jobs: in its own session, which signals to the tool do not reach, with a
 * log that only the user can read.
 *
 * @returns how it ended, if it has by now and left nothing running; what it printed is then in no log.
 * @throws the system's error if the log cannot be created or the shell cannot be started.
 */
export async function startInBackground(
  shell: ShellProgram,
  command: string,
  { keepOutput }: BackgroundOptions,
): Promise<CommandEnd | BackgroundCommand> {
  const directory = mkdtempSync(join(tmpdir(), "ikigai-background-"));
  const log = join(directory, "output.log");
  const file = openSync(log, "ax+", 0o600);
  try {
    const running = await startShell(shell, command, file, { env: backgroundEnvironment() });
    const { pid } = running;
    const exitCode = await within(earlyEndMs, exitCodeOf(running));
    if (exitCode === undefined || signalGroup(pid, 0)) {
      running.unref();
      return { output: describe(pid, log), exit_code: 0, pid, log };
    }
    const printed = new KeptOutput(keepOutput);
    for (const chunk of chunksOf(file)) printed.add(chunk);
    rmSync(directory, { recursive: true, force: true });
    return { exitCode, printed: printed.show() };
  } finally {
    closeSync(file);
  }
}

function* chunksOf(file: number): Generator<Buffer> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(65_536);
    const length = readSync(file, chunk, 0, chunk.length, at);
    if (length === 0) return;
    at += length;
    yield chunk.subarray(0, length);
  }
}

/** Without the variables of the call: when it ends, the host kills every process that has them. */
function backgroundEnvironment(): NodeJS.ProcessEnv {
  const { IKIGAI_CALL_ID, IKIGAI_TOOL_NAME, IKIGAI_TOOL_DIR, IKIGAI_TOOL_SCOPE, ...env } = commandEnvironment();
  return env;
}

function describe(pid: number, log: string): string {
  return `Running in the background as process ${pid}. It prints to ${log}. To stop it: kill -- -${pid}`;
}
