import { closeSync } from "node:fs";
import { signalGroup, within } from "@ikigai/system";
import { takePipe } from "./command-pipe.ts";
import { type KeepOptions, KeptOutput, type ShownOutput } from "./kept-output.ts";
import { liveOutput } from "./live-output.ts";
import { readOutput } from "./read-output.ts";
import type { ShellProgram } from "./shell-program.ts";
import { exitCodeOf, type Shell, startShell } from "./start-shell.ts";

/** How a command is run. */
export interface RunOptions {
  readonly keep: KeepOptions;
  /** Settles with the exit code to report if the command must be stopped. */
  readonly stop: Promise<number>;
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

/**
 * Runs a command until it exits or must be stopped, then kills what it left running.
 *
 * @throws the system's error if the shell cannot be started.
 */
export async function runCommand(
  shell: ShellProgram,
  command: string,
  { keep, stop }: RunOptions,
): Promise<CommandEnd> {
  const output = new KeptOutput(keep);
  const pipe = takePipe();
  // Without a pipe the shell gets two sockets; redirecting stderr to stdout keeps the order.
  const running = pipe
    ? await startShell(shell, command, pipe.writeEnd)
    : await startShell(shell, shell.withJoinedOutput(command), "pipe");
  if (pipe) closeSync(pipe.writeEnd);
  const live = liveOutput();
  const reader = readOutput(pipe, running, (chunk) => {
    output.add(chunk);
    live.add(chunk);
  });
  const exitCode = await untilExited(running, stop);
  await reader.finish();
  live.stop();
  signalGroup(running.pid, "SIGKILL");
  return { exitCode, printed: output.show() };
}

async function untilExited(shell: Shell, stop: Promise<number>): Promise<number> {
  const exited = exitCodeOf(shell);
  const end = await Promise.race([exited, stop.then((code) => ({ code }))]);
  if (typeof end === "number") return end;
  signalGroup(shell.pid, "SIGTERM");
  // A suspended process handles SIGTERM only after SIGCONT.
  signalGroup(shell.pid, "SIGCONT");
  if ((await within(partingMs, exited)) === undefined) {
    signalGroup(shell.pid, "SIGKILL");
    if ((await within(buryMs, exited)) === undefined) shell.unref();
  }
  return end.code;
}
