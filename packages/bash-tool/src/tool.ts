import { argumentAliases, commandDirectory, type JsonObject } from "@ikigai/protocol";
import { isInside, pathAsMeant, realPathOf, shellWord, statsOf } from "@ikigai/system";
import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { preparePipes } from "./command-pipe.ts";
import type { KeepOptions } from "./kept-output.ts";
import { type CommandEnd, type RunOptions, runCommand } from "./run-command.ts";
import { output, parameters } from "./schema.ts";
import { type ShellProgram, shellProgram } from "./shell-program.ts";
import { startInBackground } from "./start-in-background.ts";
import { stopRequest } from "./stop-request.ts";

/** The shell's exit code for a command it cannot run. */
const shellError = 127;

/** How much output is kept if no host sets a limit, in bytes: escaped six-fold it still fits in a string. */
const maxKeptBytes = 64 * 1_048_576;

/** A sandbox is a process namespace that ends with its first process, which stays only where the host says so. */
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
    varies: ["pid", "log", "stop_file", "output_file", "hint"],
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
    { maxOutputBytes, answerBytes, keep: stay, env },
  ) {
    if (command === "") return { output: "", exit_code: shellError };
    if (command.includes("\0")) return unavailable("a command cannot contain a NUL character");
    const program = shellProgram();
    if ("failure" in program) return unavailable(program.failure);
    const shell = { ...program, directory: directoryIn(others as JsonObject) };
    const { IKIGAI_SANDBOX: sandbox, IKIGAI_SANDBOX_PID: sandboxPid } = env;
    if (background && sandbox && !sandboxPid) return unavailable(endsWithSandbox, shell);
    const keep: KeepOptions = {
      limitBytes: Math.min(maxOutputBytes, maxKeptBytes),
      isForModel: Number.isFinite(answerBytes),
      directory: env.IKIGAI_OUTPUTS_DIR,
    };
    if (background)
      return orUnavailable(shell, async () => {
        const started = await startInBackground(shell, command, {
          keepOutput: keep,
          ...(sandbox && { inSandbox: { pid: Number(sandboxPid), keep: stay } }),
        });
        return "printed" in started ? toAnswer(started) : started;
      });
    return orUnavailable(shell, async () => {
      using stop = stopRequest(timeoutMs);
      return await inForeground(shell, command, { stop: stop.requested, keep });
    });
  },
});

async function inForeground(shell: ShellProgram, command: string, options: RunOptions) {
  return toAnswer(await runCommand(shell, command, options));
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
