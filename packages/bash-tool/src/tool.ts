import { argumentAliases } from "@ikigai/protocol";
import { leaveOutMiddle, type StreamText } from "@ikigai/system";
import { defineTool } from "@ikigai/tool-sdk";
import { preparePipes } from "./command-pipe.ts";
import { type RunOptions, runCommand } from "./run-command.ts";
import { output, parameters } from "./schema.ts";
import { startInBackground } from "./start-in-background.ts";
import { stopRequest } from "./stop-request.ts";

/** What a shell exits with when it cannot run a command. */
const shellError = 127;

/** How much of the output is kept when no host sets a limit, in bytes: six times as much still fits in a string. */
const maxKeptBytes = 64 * 1_048_576;

/** A sandbox has processes of its own, and is gone with its call. */
const endsWithSandbox =
  "cannot run in the background: the sandbox ends with this call, and the command with it. Run it in the foreground with a timeout_ms, or ask the user to start it";

/** Room for what stands around the output in the answer, in bytes. */
const frameBytes = 64;

export const bash = defineTool({
  name: "bash",
  description: "Execute a shell command and return output",
  parameters,
  output,
  annotations: { destructiveHint: true },
  ikigai: { timeoutArgument: "timeout_ms", prestart: true, access: { kind: "run-command", command: "command" } },
  aliases: argumentAliases["run-command"],
  keeps: "head and tail",
  warmUp() {
    preparePipes(2);
    return orUnavailable(() => inForeground(":", { stop: new Promise(() => {}), limitBytes: frameBytes }));
  },
  run({ command, timeout_ms: timeoutMs, background = false }, { maxOutputBytes }) {
    if (command === "") return { output: "", exit_code: shellError };
    if (command.includes("\0")) return unavailable("a command cannot have a NUL character in it");
    if (background && process.env.IKIGAI_SANDBOX) return unavailable(endsWithSandbox);
    if (background) return orUnavailable(() => startInBackground(command));
    const limitBytes = Math.min(maxOutputBytes, maxKeptBytes);
    return orUnavailable(() => inForeground(command, { stop: stopRequest(timeoutMs), limitBytes }));
  },
});

async function inForeground(command: string, options: RunOptions) {
  const { exitCode, printed } = await runCommand(command, options);
  return { exit_code: exitCode, ...show(printed, options.limitBytes - frameBytes) };
}

/** No memory, no process, no temporary file: for the model that is a command which failed, as it is for popen(3). */
async function orUnavailable<Answer>(run: () => Promise<Answer>) {
  try {
    return await run();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return unavailable(`cannot be started: ${(error as Error).message}`);
  }
}

function unavailable(reason: string) {
  return { output: `sh: ${reason}`, exit_code: shellError };
}

function show(printed: StreamText, room: number) {
  const { isWhole, head, bytes } = printed;
  if (isWhole) return { output: withoutNewline(head) };
  const tail = withoutNewline(printed.tail);
  const newlineBytes = printed.tail.length - tail.length;
  return { output: leaveOutMiddle({ head, tail, bytes: bytes - newlineBytes }, room), truncated: true };
}

function withoutNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
