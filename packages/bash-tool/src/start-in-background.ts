import { closeSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ShellProgram } from "./shell-program.ts";
import { commandEnvironment, startShell } from "./start-shell.ts";

/**
 * Starts a command that outlives the call: in its own session, which signals to the tool do not reach, with a log that only the
 * user can read.
 *
 * @throws the system's error if the log cannot be created or the shell cannot be started.
 */
export async function startInBackground(shell: ShellProgram, command: string) {
  const log = join(mkdtempSync(join(tmpdir(), "ikigai-background-")), "output.log");
  const file = openSync(log, "ax", 0o600);
  try {
    const running = await startShell(shell, command, file, backgroundEnvironment());
    running.unref();
    const { pid } = running;
    return { output: describe(pid, log), exit_code: 0, pid, log };
  } finally {
    closeSync(file);
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
