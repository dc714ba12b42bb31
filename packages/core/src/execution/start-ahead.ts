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
 * Starts a tool before its arguments are known, so that it has started when they are: it waits on stdin. For `execute`, which
 * takes it if it is what the call would have started; otherwise, and for a call that never comes, `discard` ends it. While it
 * waits it keeps no host alive.
 *
 * Undefined for a tool that does not say `prestart`: it may do something before it has read its input. Never throws: what cannot
 * be started is told by the call that comes.
 */
export function startAhead(
  tool: RegisteredTool,
  options: ExpectedCall & Pick<CallOptions, "callId">,
): AheadProcess | undefined {
  const sandbox = callSandbox(tool, options);
  return options.spares?.take(tool, options, sandbox) ?? startWaiting(tool, options, sandbox);
}

/** Starts a process that waits for its arguments in this sandbox. */
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
    // From now on what it prints shows: it should print nothing before its input.
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
      // That it has ended or printed while the host was busy shows once the loop has gone round: the turn it is in may be past it.
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

/** What a call would start whose arguments ask for nothing unusual. */
export function expectedCommand(tool: RegisteredTool, options: CallOptions, sandbox: CallSandbox | undefined) {
  return commandFor(tool, callLimits(tool, undefined, options), options, sandbox);
}

/** What has to be the same for a process to serve a call: its program, directory, environment, and what it may do. */
function keyOf({ path, args, cwd, env, hasProgress, through }: Command, toolPath: string): string {
  return JSON.stringify([path, args, stampAt(toolPath), cwd, directoryAt(cwd), hasProgress, through, env]);
}

/** Another directory may have come in its place, and a process stays in the one it was started in. */
function directoryAt(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return `${stat?.dev}.${stat?.ino}`;
  } catch (error) {
    // A parent that may not be searched: the start will fail, and say why.
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** SIGKILL before its stdin is closed: an empty input must never look like a call. */
function end({ pid, stdin, stdout, stderr, progress }: ToolProcess): void {
  signalGroup(pid, "SIGKILL");
  forgetGroup(pid);
  for (const stream of [stdin, stdout, stderr, progress]) stream?.destroy();
}
