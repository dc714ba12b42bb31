import { closeSync } from "node:fs";
import { constants } from "node:os";
import { HeadAndTail, type StreamText, signalGroup, within } from "@ikigai/system";
import { takePipe } from "./command-pipe.ts";
import { liveOutput } from "./live-output.ts";
import { readOutput } from "./read-output.ts";
import { type Shell, startShell } from "./start-shell.ts";

export interface RunOptions {
  /** How much of the output is kept, in bytes. */
  readonly limitBytes: number;
  /** Settles, if ever, with the exit code to report when the command has to stop. */
  readonly stop: Promise<number>;
}

export interface CommandEnd {
  readonly exitCode: number;
  readonly printed: StreamText;
}

/** How long a command has between SIGTERM and SIGKILL, in milliseconds: the host gives the tool 2,000 for all of it. */
const partingMs = 500;

/** How long a killed shell may take to be gone, in milliseconds; one that hangs in the kernel is not waited for. */
const buryMs = 250;

/**
 * Runs a command to its end, or until it has to stop; then ends what it left running.
 *
 * @throws the system's error when the shell cannot be started.
 */
export async function runCommand(command: string, { limitBytes, stop }: RunOptions): Promise<CommandEnd> {
  const output = new HeadAndTail(limitBytes);
  const pipe = takePipe();
  // Without a pipe the shell gets two sockets, and has to use the first for both streams to keep their order.
  const shell = pipe ? await startShell(command, pipe.writeEnd) : await startShell(`exec 2>&1; ${command}`, "pipe");
  if (pipe) closeSync(pipe.writeEnd);
  const live = liveOutput();
  const reader = readOutput(pipe, shell, (chunk) => {
    output.add(chunk);
    live.add(chunk);
  });
  const exitCode = await untilExited(shell, stop);
  await reader.finish();
  live.stop();
  signalGroup(shell.pid, "SIGKILL");
  return { exitCode, printed: output.ends() };
}

async function untilExited(shell: Shell, stop: Promise<number>): Promise<number> {
  const exited = new Promise<number>((settle) => {
    shell.once("exit", (code, signal) => settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  const end = await Promise.race([exited, stop.then((code) => ({ code }))]);
  if (typeof end === "number") return end;
  signalGroup(shell.pid, "SIGTERM");
  // A stopped process gets the first signal only once it goes on.
  signalGroup(shell.pid, "SIGCONT");
  if ((await within(partingMs, exited)) === undefined) {
    signalGroup(shell.pid, "SIGKILL");
    if ((await within(buryMs, exited)) === undefined) shell.unref();
  }
  return end.code;
}
