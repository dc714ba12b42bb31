import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { signalGroup } from "@ikigai/system";
import { startGuarded } from "../leftovers/start-guarded.ts";
import { forgetGroup } from "../leftovers/watchdog.ts";
import type { Command } from "../process/command.ts";
import type { ToolProcess } from "../process/start-process.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { stampAt } from "../registry/stamps.ts";
import { callLimits } from "./call-limits.ts";
import type { AheadProcess, CallOptions, CallSandbox, ExpectedCall } from "./call-options.ts";
import { callSandbox } from "./call-sandbox.ts";
import { commandFor } from "./command-for.ts";
import { refuse } from "./refuse.ts";

/**
 * Starts a tool before its arguments are known; it waits on stdin. `execute` uses the process if the call would have started
 * the same one; otherwise, or if no call comes, `discard` kills it. A waiting process does not keep the host alive.
 *
 * Returns `undefined` for a tool without `prestart`, which might act before it has read its input. Never throws: the call
 * itself reports why the tool cannot be started.
 */
export function startAhead(
  tool: RegisteredTool,
  options: ExpectedCall & Pick<CallOptions, "callId">,
): AheadProcess | undefined {
  const sandbox = callSandbox(tool, options);
  return options.spares?.take(tool, options, sandbox) ?? startWaiting(tool, options, sandbox);
}

/** Starts a process in this sandbox that waits for its arguments. */
export function startWaiting(
  tool: RegisteredTool,
  options: ExpectedCall & Pick<CallOptions, "callId">,
  sandbox: CallSandbox | undefined,
): AheadProcess | undefined {
  if (tool.schema.ikigai?.prestart !== true || refuse(tool, options)) return undefined;
  const { callId } = options;
  const command = expectedCommand(tool, options, sandbox);
  if ("failure" in command) return undefined;
  const key = keyOf(command, tool.path);
  const started = startGuarded({ ...command, env: { ...command.env, IKIGAI_PRESTART: "1" } });
  let state: "waiting" | "taken" | "discarded" = "waiting";
  let process: ToolProcess | undefined;
  let hasExited = false;
  void started.then((result) => {
    if ("failure" in result) {
      hasExited = true;
      return;
    }
    process = result.process;
    if (state === "discarded") return end(process);
    process.holdHost(false);
    // Start reading: output before any input shows that the process does not fit.
    process.stdout.read(0);
    void process.exited.then(() => {
      hasExited = true;
    });
  });
  const isFit = (wanted: Command) =>
    state === "waiting" && !hasExited && !process?.stdout.readableLength && keyOf(wanted, tool.path) === key;

  const discard = () => {
    if (state !== "waiting") return;
    state = "discarded";
    if (process) end(process);
  };

  return {
    callId,
    sandbox,
    discard,
    fits: isFit,
    async take(wanted) {
      await started;
      // Exit and output events that queued while the host was busy arrive on the next turn; wait for two.
      await nextTurn();
      await nextTurn();
      if (!isFit(wanted)) {
        discard();
        return undefined;
      }
      state = "taken";
      process?.holdHost(true);
      return process;
    },
  };
}

/** The command of a call whose arguments set no limits. */
export function expectedCommand(tool: RegisteredTool, options: CallOptions, sandbox: CallSandbox | undefined) {
  return commandFor(tool, callLimits(tool, undefined, options), options, sandbox);
}

/** Everything that must be equal for a process to serve a call: program, directory, environment, sandbox. */
function keyOf({ path, args, cwd, env, hasProgress, through }: Command, toolPath: string): string {
  return JSON.stringify([path, args, stampAt(toolPath), cwd, directoryAt(cwd), hasProgress, through, env]);
}

/** Identifies the directory itself: it may have been replaced, and a process stays in the old one. */
function directoryAt(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return `${stat?.dev}.${stat?.ino}`;
  } catch (error) {
    // A parent that cannot be searched: the start will fail and say why.
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** SIGKILL before its stdin is closed: an empty input must never look like a call. */
function end({ pid, stdin, stdout, stderr, progress }: ToolProcess): void {
  signalGroup(pid, "SIGKILL");
  forgetGroup(pid);
  for (const stream of [stdin, stdout, stderr, progress]) stream?.destroy();
}
