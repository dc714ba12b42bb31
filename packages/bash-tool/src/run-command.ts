import { closeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { signalGroup, within } from "@ikigai/system";
import { takePipe } from "./command-pipe.ts";
import { type KeepOptions, KeptOutput, type OutputSoFar, type ShownOutput } from "./kept-output.ts";
import { liveOutput } from "./live-output.ts";
import { readOutput } from "./read-output.ts";
import type { ShellProgram } from "./shell-program.ts";
import { exitCodeOf, type Shell, startShell } from "./start-shell.ts";

/** How a command is run. */
export interface RunOptions {
  readonly keep: KeepOptions;
  /** Settles with the exit code to report if the command must be stopped. */
  readonly stop: Promise<number>;
  /** When a command that still runs becomes a job; absent: never. */
  readonly job?: {
    readonly afterMs: number;
    /** Whether it was started to go on: it gets input, and has ended only when no process of its group is left. */
    readonly isBackground: boolean;
  };
}

/** A command that continues as a job. */
export interface RunningCommand {
  readonly soFar: OutputSoFar;
  readonly exitCode: Promise<number>;
  /** Writes to its stdin, if it has one. */
  readonly write: ((text: string) => void) | undefined;
}

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly printed: ShownOutput;
}

/** Time between SIGTERM and SIGKILL for a command, in milliseconds: the host gives the tool 2,000 altogether. */
const partingMs = 500;

/** How long to wait for a killed shell, in milliseconds: it may be stuck in the kernel. */
const buryMs = 250;

/** How often to look whether something of the process group of a background command is left, in milliseconds. */
const lookMs = 200;

/**
 * Runs a command until it exits, must be stopped, or becomes a job; at its end kills what it left running.
 *
 * @throws the system's error if the shell cannot be started.
 */
export async function runCommand(
  shell: ShellProgram,
  command: string,
  { keep, stop, job }: RunOptions,
): Promise<CommandEnd | RunningCommand> {
  const output = new KeptOutput(keep);
  const pipe = takePipe();
  const options = { hasInput: job?.isBackground === true };
  // Without a pipe the shell gets two sockets; redirecting stderr to stdout keeps the order.
  const running = pipe
    ? await startShell(shell, command, pipe.writeEnd, options)
    : await startShell(shell, shell.withJoinedOutput(command), "pipe", options);
  if (pipe) closeSync(pipe.writeEnd);
  running.stdin?.on("error", () => {});
  const live = liveOutput();
  const reader = readOutput(pipe, running, (chunk) => {
    output.add(chunk);
    live.add(chunk);
  });
  const ended = untilExited(running, stop, job?.isBackground).then(async (exitCode) => {
    await reader.finish();
    live.stop();
    signalGroup(running.pid, "SIGKILL");
    return exitCode;
  });
  const exitCode = job ? await within(job.afterMs, ended) : await ended;
  if (exitCode !== undefined) return { exitCode, printed: output.show() };
  live.stop();
  return {
    soFar: output.showSoFar(),
    exitCode: ended.finally(() => output.close()),
    write: running.stdin ? (text) => void running.stdin?.write(text) : undefined,
  };
}

async function untilExited(shell: Shell, stop: Promise<number>, isBackground = false): Promise<number> {
  const shellExited = exitCodeOf(shell);
  const exited = isBackground ? shellExited.then((code) => untilGroupGone(shell, code)) : shellExited;
  const end = await Promise.race([exited, stop.then((code) => ({ code }))]);
  if (typeof end === "number") return end;
  signalGroup(shell.pid, "SIGTERM");
  // A suspended process handles SIGTERM only after SIGCONT.
  signalGroup(shell.pid, "SIGCONT");
  if ((await within(partingMs, exited)) === undefined) {
    signalGroup(shell.pid, "SIGKILL");
    if ((await within(buryMs, shellExited)) === undefined) shell.unref();
  }
  return end.code;
}

async function untilGroupGone({ pid }: Shell, exitCode: number): Promise<number> {
  while (signalGroup(pid, 0)) await sleep(lookMs);
  return exitCode;
}
