// The tool. In order: a call (at once, in the background, or as a job that continues after it), how each is run, and why there is no shell.

import { argumentAliases, commandDirectory, type JsonObject } from "@ikigai/protocol";
import { isInside, longestTimerMs, pathAsMeant, realPathOf, shellWord, statsOf } from "@ikigai/system";
import { defineTool, type ToolContext, ToolFailure } from "@ikigai/tool-sdk";
import type { KeepOptions } from "./output.ts";
import { preparePipes } from "./read-output.ts";
import { type CommandEnd, type RunningCommand, type RunOptions, runCommand, stopRequest } from "./run-command.ts";
import { output, parameters } from "./schema.ts";
import { type ShellProgram, shellProgram } from "./shell.ts";
import { earlyEndMs, startInBackground } from "./start-in-background.ts";

/** The shell's exit code for a command it cannot run. */
const shellError = 127;

/** How much output is kept if no host sets a limit, in bytes: escaped six-fold it still fits in a string. */
const maxKeptBytes = 64 * 1_048_576;

/** When a command becomes a job. */
interface JobOptions {
  readonly keep: KeepOptions;
  readonly afterMs: number;
  readonly isBackground: boolean;
}

/** A sandbox is a process namespace that ends with its first process, which continues only as a job. */
const endsWithSandbox =
  "cannot run in the background: the sandbox ends with this call, and the command with it. Run it in the foreground with a timeout_ms, or ask the user to start it";

export const bash = defineTool({
  name: "bash",
  description:
    "Run a shell command (bash; sh where bash is missing) and return its output and exit code. Each call is a new shell in the project's directory, without a terminal or input: cd and variables do not last, and questions get no answer. Start servers with background. A pipe's exit code is that of its last command. To change part of a file, use file_edit.",
  parameters,
  output,
  annotations: { destructiveHint: true },
  ikigai: {
    timeoutArgument: "timeout_ms",
    prestart: true,
    serves: true,
    answerBytes: 32_768,
    jobs: true,
    varies: ["pid", "log", "output_file", "hint"],
    access: { kind: "run-command", command: "command" },
  },
  aliases: argumentAliases["run-command"],
  accepts: ["cwd", "workdir", "working_directory", "working_dir", "dir"],
  keeps: "head and tail",
  warmUp() {
    preparePipes();
    const shell = shellProgram();
    if ("failure" in shell) return unavailable(shell.failure);
    return orUnavailable(shell, () =>
      inForeground(shell, ":", {
        stop: new Promise(() => {}),
        keep: { limitBytes: 1_024, isForModel: true, directory: undefined },
      }),
    );
  },
  run(
    { command, timeout_ms: timeoutMs, background = false, ...others },
    { maxOutputBytes, answerBytes, continueAsJob, env },
  ) {
    if (command === "") return { output: "", exit_code: shellError };
    if (command.includes("\0")) return unavailable("a command cannot contain a NUL character");
    const program = shellProgram();
    if ("failure" in program) return unavailable(program.failure);
    const shell = { ...program, directory: directoryIn(others as JsonObject) };
    if (background && !continueAsJob && env.IKIGAI_SANDBOX) return unavailable(endsWithSandbox, shell);
    const keep: KeepOptions = {
      limitBytes: Math.min(maxOutputBytes, maxKeptBytes),
      isForModel: Number.isFinite(answerBytes) || continueAsJob !== undefined,
      directory: env.IKIGAI_OUTPUTS_DIR,
    };
    return orUnavailable(shell, async () => {
      if (continueAsJob) {
        const afterMs = background ? earlyEndMs : (timeoutMs ?? Number(env.IKIGAI_TIMEOUT_MS));
        return await asJobIfLong(shell, command, { keep, afterMs, isBackground: background }, continueAsJob);
      }
      if (background) {
        const started = await startInBackground(shell, command, { keepOutput: keep });
        return "printed" in started ? toAnswer(started) : started;
      }
      using stop = stopRequest(timeoutMs);
      return await inForeground(shell, command, { stop: stop.requested, keep });
    });
  },
});

/** Runs a command that continues as a job if it takes longer than `afterMs`. */
async function asJobIfLong(
  shell: ShellProgram,
  command: string,
  { keep, afterMs, isBackground }: JobOptions,
  continueAsJob: NonNullable<ToolContext["continueAsJob"]>,
) {
  // Until the job ends, signals to this process stop the command.
  const stop = stopRequest(undefined);
  const job = { afterMs: Math.min(afterMs, longestTimerMs), isBackground };
  let ran: CommandEnd | RunningCommand | undefined;
  try {
    ran = await runCommand(shell, command, { stop: stop.requested, keep, job });
  } finally {
    if (!ran || !("soFar" in ran)) stop[Symbol.dispose]();
  }
  if (!("soFar" in ran)) return toAnswer(ran);
  const { write, soFar } = ran;
  continueAsJob(ran.exitCode, write && ((line) => write(`${line}\n`)));
  return { ...soFar, hint: jobHint(afterMs, isBackground) };
}

/** What a model does about a command that has become a job. */
function jobHint(afterMs: number, isBackground: boolean): string {
  const state = isBackground ? "It runs" : `It still runs after ${afterMs / 1_000} s, and continues`;
  return `${state} as a job. You get a message when it ends. Until then do something else, or call the tool job (wait, output, stop, input).`;
}

async function inForeground(shell: ShellProgram, command: string, options: Omit<RunOptions, "job">) {
  return toAnswer((await runCommand(shell, command, options)) as CommandEnd);
}

function toAnswer({ exitCode, printed }: CommandEnd) {
  return { exit_code: exitCode, ...printed };
}

/**
 * Returns the directory that a call names, which other agents' tools take.
 *
 * @throws ToolFailure `INVALID_ARG` unless it is one in the project.
 */
function directoryIn(args: JsonObject): string | undefined {
  const wanted = commandDirectory(args, {});
  if (wanted === undefined) return undefined;
  const path = pathAsMeant(wanted);
  const real = statsOf(path)?.isDirectory() ? realPathOf(path) : undefined;
  if (real !== undefined && isInside(real, realPathOf("."))) return real;
  const why = real === undefined ? "There is no directory" : "Commands run in the project, and this is outside of it:";
  throw new ToolFailure("INVALID_ARG", `${why} ${path}; nothing was run.`, {
    hint: `To go there, put it into the command: cd ${shellWord(path)} && …`,
  });
}

/** Without memory, processes or temporary files the command counts as failed, as with popen(3). */
async function orUnavailable<Answer>(shell: ShellProgram, run: () => Promise<Answer>) {
  try {
    return await run();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return unavailable(`cannot be started: ${(error as Error).message}`, shell);
  }
}

/** An answer like that of a shell which cannot run the command. */
function unavailable(reason: string, { name } = { name: "bash" }) {
  return { output: `${name}: ${reason}`, exit_code: shellError };
}
