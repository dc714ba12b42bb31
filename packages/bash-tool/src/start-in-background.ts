import { closeSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandEnvironment, startShell } from "./start-shell.ts";

/**
 * Starts a command that outlives the call: in a session of its own, which no signal to the tool reaches, and with a log
 * that only the user can read.
 *
 * @throws the system's error when the log cannot be made or the shell not be started.
 */
export async function startInBackground(command: string) {
  const log = join(mkdtempSync(join(tmpdir(), "ikigai-background-")), "output.log");
  const file = openSync(log, "ax", 0o600);
  try {
    const shell = await startShell(command, file, backgroundEnvironment());
    shell.unref();
    const { pid } = shell;
    return { output: describe(pid, log), exit_code: 0, pid, log };
  } finally {
    closeSync(file);
  }
}

/** A host ends whatever has the variables of a call when that call ends. */
function backgroundEnvironment(): NodeJS.ProcessEnv {
  const { IKIGAI_CALL_ID, IKIGAI_TOOL_NAME, IKIGAI_TOOL_DIR, IKIGAI_TOOL_SCOPE, ...env } = commandEnvironment();
  return env;
}

function describe(pid: number, log: string): string {
  return `Running in the background as process ${pid}. It prints to ${log}. To stop it: kill -- -${pid}`;
}
