// Runs one hook until it ends: its sandbox and command, its input, and why its answer may not count.

import { graceMs } from "@ikigai/protocol";
import type { Command, Failure, Place, SandboxSettings } from "@ikigai/sandbox";
import { realPathOf } from "@ikigai/system";
import { hookDataOwner, makeDataDirectory, namedDataDirectory } from "../call/directories.ts";
import { hostSandbox } from "../leftovers/host-sandbox.ts";
import { type End, untilSettled } from "../leftovers/settle.ts";
import { startGuarded } from "../leftovers/watchdog.ts";
import { type PrintedOutput, printedOutput } from "../process/read-output.ts";
import { hostCallId, toolCommand } from "../process/tool-command.ts";
import { changeIn, type Hook, hookEvents, whyBroken } from "./hook.ts";

/** Longest stdout of a hook, in bytes. */
export const maxHookOutputBytes = 65_536;

/** The circumstances of a run. */
export interface HookOptions {
  /** The user's directory (`~/.ikigai`). */
  readonly home: string;
  readonly projectDir: string;
  readonly sessionId: string;
  /** Environment the hook's environment is derived from, as for tools. */
  readonly env: NodeJS.ProcessEnv;
  /** The sandbox of the project's hooks. The user's own run outside it. */
  readonly sandbox?: SandboxSettings | undefined;
  /** Ends the hook. */
  readonly signal?: AbortSignal | undefined;
}

/** How a hook ended. */
export interface HookRun {
  /** How long it ran, in milliseconds; 0 if it was not started. */
  readonly durationMs: number;
  /** Why its answer does not count: the end of a sentence. The exit code is judged by the caller. */
  readonly problem?: string;
  /** Its exit code; `undefined` if it was not started or was ended. */
  readonly exitCode?: number | undefined;
  readonly stdout: string;
  /** Head and tail, at most as long as stdout may be. */
  readonly stderr: string;
}

/**
 * Runs a hook: its stdin is `input` and a line break. When the promise settles, the hook and everything it started are gone.
 * Never rejects.
 */
export async function runHook(hook: Hook, input: string, options: HookOptions): Promise<HookRun> {
  const startedAtMs = performance.now();
  const end = await run(hook, input, options);
  const changed = "problem" in end ? undefined : changeIn(hook);
  const durationMs = performance.now() - startedAtMs;
  // The process that changed it may have answered.
  return { stdout: "", stderr: "", durationMs, ...end, ...(changed !== undefined && { problem: changed }) };
}

async function run(
  hook: Hook,
  input: string,
  options: HookOptions,
): Promise<Partial<HookRun> & ({ readonly problem: string } | Pick<HookRun, "stdout" | "stderr">)> {
  const obstacle = whyBroken(hook);
  if (obstacle !== undefined) return { problem: obstacle, durationMs: 0 };
  const callId = hostCallId("hook");
  const place = placeOf(hook, options);
  await place?.ready?.();
  const command = hookCommand(hook, callId, options, place);
  const started = "failure" in command ? command : await startGuarded(command);
  if ("failure" in started) return { problem: started.failure, durationMs: 0 };
  const printed = printedOutput(started.process, { stdoutBytes: maxHookOutputBytes, stderrBytes: maxHookOutputBytes });
  started.process.send(`${input}\n`);
  const { flooded } = printed;
  const { timeoutMs } = hookEvents[hook.event];
  const end = await untilSettled(started.process, { callId, signal: options.signal, flooded, graceMs, timeoutMs });
  const problem = problemOf(end, printed, timeoutMs);
  return {
    ...(problem !== undefined && { problem }),
    exitCode: end.verdict === "exited" ? end.exit?.code : undefined,
    stdout: printed.stdout.bytes.toString("utf8"),
    stderr: printed.stderr.toText(),
  };
}

function problemOf({ verdict, exit }: End, printed: PrintedOutput, timeoutMs: number): string | undefined {
  if (verdict === "timeout") return `no answer within ${timeoutMs / 1_000} s`;
  if (verdict === "cancelled") return "it was interrupted";
  if (printed.isFlooded) return `it printed more than ${maxHookOutputBytes / 1_024} KiB`;
  if (exit === undefined) return "it did not end";
  if (exit.signal !== undefined) return `killed by ${exit.signal}`;
  if (!printed.isComplete)
    return "it left a process running that holds its stdout open; redirect that process's output";
  return undefined;
}

/** The name by which the door knows hooks; it is no tool's, like that of their data. */
const doorName = "hooks";

/** The sandbox of a project's hook. */
function placeOf({ path, scope, projectDir: own }: Hook, { home, sandbox, ...options }: HookOptions) {
  if (scope !== "project" || !sandbox) return undefined;
  const projectDir = own ?? options.projectDir;
  const dataDir = namedDataDirectory(hookDataOwner, scope, { home, projectDir });
  const toolFiles = [path, realPathOf(path)];
  return hostSandbox(sandbox, { tool: doorName, projectDir, toolFiles, dataDir });
}

function hookCommand(hook: Hook, callId: string, options: HookOptions, place: Place | undefined): Command | Failure {
  const { home, sessionId, env } = options;
  const { name, path, scope, event, projectDir = options.projectDir } = hook;
  const dataDir = makeDataDirectory(namedDataDirectory(hookDataOwner, scope, { home, projectDir }));
  if (typeof dataDir === "object") return dataDir;
  return toolCommand(
    {
      tool: { name, path, scope },
      args: [],
      call: {
        IKIGAI_CALL_ID: callId,
        IKIGAI_SESSION_ID: sessionId,
        IKIGAI_PROJECT_DIR: projectDir,
        IKIGAI_TIMEOUT_MS: String(hookEvents[event].timeoutMs),
        IKIGAI_MAX_OUTPUT_BYTES: String(maxHookOutputBytes),
        ...(dataDir !== undefined && { IKIGAI_DATA_DIR: dataDir }),
      },
      cwd: projectDir,
      projectDir,
      // The name that Claude Code's hooks use.
      env: { ...env, CLAUDE_PROJECT_DIR: projectDir },
      hasInput: true,
      hasProgress: false,
    },
    place,
  );
}
