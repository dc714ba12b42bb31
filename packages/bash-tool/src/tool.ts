import { realpathSync } from "node:fs";
import { argumentAliases, type JsonObject } from "@ikigai/protocol";
import { shellWord } from "@ikigai/system";
import { defineTool } from "@ikigai/tool-sdk";
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
    "Run a shell command (bash; sh where bash is missing) and return its output and exit code. Each call is a new shell in the project's directory, without a terminal or input.",
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
  refuseUnknown: elsewhere,
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
  run({ command, timeout_ms: timeoutMs, background = false }, { maxOutputBytes, answerBytes, keep: stay, env }) {
    if (command === "") return { output: "", exit_code: shellError };
    if (command.includes("\0")) return unavailable("a command cannot contain a NUL character");
    const shell = shellProgram();
    if ("failure" in shell) return unavailable(shell.failure);
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

/** Other agents' names for a directory to run in. */
const directoryNames = ["cwd", "workdir", "working_directory", "working_dir", "dir"];

/** Refuses a call that asks for another directory: permission was decided for the project's. */
function elsewhere(args: JsonObject): string | undefined {
  for (const name of directoryNames) {
    const wanted = args[name];
    if (typeof wanted !== "string" || isHere(wanted)) continue;
    return `Commands run in ${process.cwd()}; "${name}" cannot change that, and nothing was run. Put it into the command: cd ${shellWord(wanted)} && …`;
  }
  return undefined;
}

function isHere(directory: string): boolean {
  try {
    return realpathSync(directory) === realpathSync(".");
  } catch {
    return false;
  }
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
