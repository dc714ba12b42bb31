// The shell of a command: which program it is, how it is started, and how it ends.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, openSync, unlinkSync } from "node:fs";
import { constants } from "node:os";
import { basename, isAbsolute } from "node:path";
import { standardShell, temporaryPath, writeAll } from "@ikigai/system";

/** A shell, and how it is started for one command. */
export interface ShellProgram extends ShellWords {
  readonly path: string;
  /** The name under which it is started, with which its messages begin. */
  readonly name: string;
  /** Where commands run. Default: this process's directory. */
  readonly directory?: string | undefined;
}

interface ShellWords {
  /** Arguments for a command, which may begin with a dash. */
  readonly forCommand: (command: string) => readonly string[];
  /**
   * Closes descriptor 3, in front of a command that is read from there: on its first line, so that line numbers in messages stay
   * correct. fish cannot close it; its commands inherit an unlinked file.
   */
  readonly closeScript: string;
  /** The command with stderr going to stdout. */
  readonly withJoinedOutput: (command: string) => string;
}

const sh: ShellWords = {
  forCommand: (command) => ["-c", "--", command],
  closeScript: "exec 3<&-; ",
  withJoinedOutput: (command) => `exec 2>&1; ${command}`,
};

/** Without the user's configuration, which could print, or change what commands mean. */
const shells: Readonly<Record<string, ShellWords>> = {
  // Under sshd, Debian's bash reads .bashrc also for -c.
  bash: { ...sh, forCommand: (command) => ["--noprofile", "--norc", "-c", "--", command] },
  sh,
  dash: sh,
  zsh: { ...sh, forCommand: (command) => ["-f", "-c", "--", command] },
  fish: {
    forCommand: (command) => ["--no-config", `--command=${command}`],
    closeScript: "",
    withJoinedOutput: (command) => `begin; ${command}\nend 2>&1`,
  },
};

/** Returns the shell that runs commands: the one in `IKIGAI_SHELL`, or the standard one; or what is wrong with that variable, as a sentence. */
export function shellProgram(env: NodeJS.ProcessEnv = process.env): ShellProgram | { readonly failure: string } {
  const path = env.IKIGAI_SHELL || ownShell(env);
  const name = basename(path);
  const words = Object.hasOwn(shells, name) && isAbsolute(path) ? shells[name] : undefined;
  if (words) return { path, name, ...words };
  const known = Object.keys(shells).join(", ");
  return { failure: `IKIGAI_SHELL must be the absolute path of one of ${known}, got ${JSON.stringify(path)}` };
}

/** Found once: a process serves one project, with one PATH. */
let standard: string | undefined;

function ownShell(env: NodeJS.ProcessEnv): string {
  standard ??= standardShell(env.PATH, currentDirectory());
  return standard;
}

/** Commands run also in a directory that has been removed; nothing can be in it. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

/** A running shell; its process id is also its process group. */
export type Shell = ChildProcess & { readonly pid: number };

/** The longest argument on Linux, in bytes: 32 pages including the NUL. */
const maxArgumentBytes = 131_071;

/**
 * Starts a shell for a command in its own session: it has no terminal for prompts, and signals to the tool's group do not reach it.
 *
 * @throws the system's error (EAGAIN, ENOSPC, E2BIG, …) if that fails.
 */
export async function startShell(
  { path, name, directory, forCommand, closeScript }: ShellProgram,
  command: string,
  output: number | "pipe",
  {
    env = commandEnvironment(),
    hasInput = false,
  }: { readonly env?: NodeJS.ProcessEnv; readonly hasInput?: boolean } = {},
): Promise<Shell> {
  const isLong = Buffer.byteLength(command) > maxArgumentBytes;
  const script = isLong ? openScript(`${closeScript}${command}`) : undefined;
  const stdio: StdioOptions = [hasInput ? "pipe" : "ignore", output, output, ...(script === undefined ? [] : [script])];
  try {
    const args = forCommand(isLong ? ". /dev/fd/3" : command);
    // The shell's messages start with argv0.
    const shell = spawn(path, args, {
      argv0: name,
      detached: true,
      stdio,
      env,
      ...(directory !== undefined && { cwd: directory }),
    });
    if (shell.pid === undefined) throw await new Promise((settle) => shell.once("error", settle));
    return shell as Shell;
  } finally {
    if (script !== undefined) closeSync(script);
  }
}

/** Settles with a shell's exit code, or 128 + N after signal N. */
export function exitCodeOf(shell: Shell): Promise<number> {
  return new Promise((settle) => {
    shell.once("exit", (code, signal) => settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/**
 * The environment of commands: without the limits of this call, which would apply to tools called inside, and without variables
 * with which a shell runs a file first or reads the command differently from how its permission was decided.
 */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const {
    IKIGAI_PRESTART,
    IKIGAI_JOBS,
    IKIGAI_PROGRESS_FD,
    IKIGAI_TIMEOUT_MS,
    IKIGAI_MAX_OUTPUT_BYTES,
    IKIGAI_ANSWER_BYTES,
    IKIGAI_OUTPUTS_DIR,
    ...own
  } = process.env;
  const { BASH_ENV, ENV, BASHOPTS, SHELLOPTS, BASH_COMPAT, GLOBIGNORE, EXECIGNORE, ...env } = own;
  return env;
}

/** Writes a command that is too long for an argument to an unlinked file, which the shell reads as descriptor 3. */
function openScript(command: string): number {
  const path = temporaryPath(`script-${process.hrtime.bigint()}`);
  const file = openSync(path, "wx", 0o600);
  try {
    writeAll(file, `${command}\n`);
    return openSync(path, "r");
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
