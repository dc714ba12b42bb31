import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeAll } from "@ikigai/system";

/** A shell that runs, with a process id that is also its process group's. */
export type Shell = ChildProcess & { readonly pid: number };

/** The longest argument that Linux takes, in bytes: 32 pages with the zero at the end. */
const maxArgumentBytes = 131_071;

/**
 * Starts `/bin/sh -c` in a session of its own: it has no terminal to ask on, and is not hit when a host ends the tool.
 *
 * @throws the system's error (EAGAIN, ENOSPC, E2BIG, …) when that is not possible.
 */
export async function startShell(
  command: string,
  output: number | "pipe",
  env: NodeJS.ProcessEnv = commandEnvironment(),
): Promise<Shell> {
  const isLong = Buffer.byteLength(command) > maxArgumentBytes;
  const script = isLong ? openScript(command) : undefined;
  const stdio: StdioOptions = ["ignore", output, output, ...(script === undefined ? [] : [script])];
  try {
    // "--" because a command may start with a dash; "sh" because that is what its messages start with.
    const args = ["-c", "--", isLong ? ". /dev/fd/3" : command];
    const shell = spawn("/bin/sh", args, { argv0: "sh", detached: true, stdio, env });
    if (shell.pid === undefined) throw await new Promise((settle) => shell.once("error", settle));
    return shell as Shell;
  } finally {
    if (script !== undefined) closeSync(script);
  }
}

/** The environment of a command: without the limits of the call, which would cut what other tools print inside it. */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const { IKIGAI_PRESTART, IKIGAI_PROGRESS_FD, IKIGAI_TIMEOUT_MS, IKIGAI_MAX_OUTPUT_BYTES, ...env } = process.env;
  return env;
}

/** Puts a command that is too long for an argument into a file without a name, which the shell reads as descriptor 3. */
function openScript(command: string): number {
  const path = join(tmpdir(), `ikigai-${process.pid}-${process.hrtime.bigint()}`);
  const file = openSync(path, "wx", 0o600);
  try {
    // On the first line, so that the lines of the command keep their numbers.
    writeAll(file, `exec 3<&-; ${command}\n`);
    return openSync(path, "r");
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
