import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { signalGroup, within } from "@ikigai/system";
import { type KeepOptions, KeptOutput } from "./kept-output.ts";
import type { CommandEnd } from "./run-command.ts";
import type { ShellProgram } from "./shell-program.ts";
import { commandEnvironment, exitCodeOf, type Shell, startShell } from "./start-shell.ts";

interface BackgroundCommand {
  readonly output: string;
  readonly exit_code: number;
  readonly pid: number;
  readonly log: string;
  readonly stop_file?: string;
}

/** How a command is started in the background. */
export interface BackgroundOptions {
  /** How the output of one that ends early is kept. */
  readonly keepOutput: KeepOptions;
  /** In a sandbox: its process outside, and how this process stays with the command. Other sandboxes cannot signal it. */
  readonly inSandbox?: { readonly pid: number; readonly keep: (until: Promise<unknown>) => void };
}

/** How long to wait for the end of a background command, in milliseconds: a mistyped one must not be reported as running. */
const earlyEndMs = 300;

/**
 * Starts a command that outlives the call: in its own session, which signals to the tool do not reach, with a log that only the
 * user can read.
 *
 * @returns how it ended, if it has by now and left nothing running; what it printed is then in no log.
 * @throws the system's error if the log cannot be created or the shell cannot be started.
 */
export async function startInBackground(
  shell: ShellProgram,
  command: string,
  { keepOutput, inSandbox }: BackgroundOptions,
): Promise<CommandEnd | BackgroundCommand> {
  const directory = mkdtempSync(join(tmpdir(), "ikigai-background-"));
  const log = join(directory, "output.log");
  const file = openSync(log, "ax+", 0o600);
  try {
    const running = await startShell(shell, command, file, backgroundEnvironment());
    const { pid } = running;
    const exited = exitCodeOf(running);
    const exitCode = await within(earlyEndMs, exited);
    if (exitCode === undefined || signalGroup(pid, 0)) {
      if (!inSandbox) {
        running.unref();
        return { output: describe(pid, log), exit_code: 0, pid, log };
      }
      const stop = join(directory, "stop");
      inSandbox.keep(untilEnded(running, exitCode ?? exited, { log, stop }));
      return { output: describeInside(directory), exit_code: 0, pid: inSandbox.pid, log, stop_file: stop };
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

function describeInside(directory: string): string {
  return `Running in the background, in its sandbox, until ikigai ends. It prints to ${directory}/output.log; ${directory}/exit_code appears when it has ended. To stop it: touch ${directory}/stop`;
}

/** How often to look whether a command has ended or must be stopped, in milliseconds. */
const lookMs = 200;

/** Time between SIGTERM and SIGKILL, in milliseconds. */
const graceMs = 2_000;

/** A command that prints more is stopped, in bytes: its log is on the disk as long as ikigai runs. */
const maxLogBytes = 1_073_741_824;

/** Waits until a command and what it has started in its group have ended, and notes its exit code beside the log. Stops it if it must. */
async function untilEnded(
  { pid }: Shell,
  exitCode: number | Promise<number>,
  { log, stop }: { readonly log: string; readonly stop: string },
): Promise<void> {
  while (signalGroup(pid, 0)) {
    if (existsSync(stop) || (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) {
      signalGroup(pid, "SIGTERM");
      for (let waitedMs = 0; waitedMs < graceMs && signalGroup(pid, 0); waitedMs += lookMs) await sleep(lookMs);
      signalGroup(pid, "SIGKILL");
    }
    await sleep(lookMs);
  }
  try {
    writeFileSync(join(dirname(log), "exit_code"), `${await exitCode}\n`);
  } catch {
    // The command has removed its directory.
  }
}
