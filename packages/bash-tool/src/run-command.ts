// One command, until it ends or has to be stopped.
import { closeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { maxTimeoutMs } from "@ikigai/protocol";
import { signalGroup, within } from "@ikigai/system";
import { type KeepOptions, KeptOutput, liveOutput, type OutputSoFar, type ShownOutput } from "./output.ts";
import { readOutput, takePipe } from "./read-output.ts";
import { exitCodeOf, type Shell, type ShellProgram, startShell } from "./shell.ts";

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

/** The exit code of timeout(1). */
const timeUpCode = 124;

/** Extra time under a host, in milliseconds, so that the host's own timeout fires and is reported first. */
const hostLeadMs = 1_000;

/** The signals by which a host, terminal or shell stops the tool. */
const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Waits for a reason to stop a command, until the end of its `using` block. */
export interface StopRequest extends Disposable {
  /** Settles with the exit code to report if the command must be stopped: by a signal to the tool, or after the caller's timeout. */
  readonly requested: Promise<number>;
}

/** From now on until it is disposed of, SIGTERM, SIGINT and SIGHUP do not end this process, so that it can still answer. */
export function stopRequest(timeoutMs: number | undefined): StopRequest {
  let settle: (exitCode: number) => void = () => {};
  const requested = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const onSignal = (_: NodeJS.Signals, number: number) => settle(128 + number);
  for (const signal of stopSignals) process.on(signal, onSignal);
  const leadMs = process.env.IKIGAI_TIMEOUT_MS === undefined ? 0 : hostLeadMs;
  const timer = timeoutMs && setTimeout(settle, Math.min(timeoutMs, maxTimeoutMs) + leadMs, timeUpCode).unref();
  return {
    requested,
    [Symbol.dispose]() {
      clearTimeout(timer);
      // After the answer has been written.
      setImmediate(() => {
        for (const signal of stopSignals) process.off(signal, onSignal);
      });
    },
  };
}
