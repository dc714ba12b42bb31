import { killGroup } from "../process/process-group.ts";
import { type Command, startProcess, type ToolProcess } from "../process/start-process.ts";
import { forgetGroup } from "../process/watchdog.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { stampAt } from "../registry/stamps.ts";
import { callLimits } from "./call-limits.ts";
import { commandFor } from "./command-for.ts";
import type { AheadProcess, ExecuteOptions } from "./execute-options.ts";
import { refuse } from "./refuse.ts";

/**
 * Starts a tool before its arguments are known, so that it has started when they are: it waits on stdin. For `execute`, which
 * takes it if it is what the call would have started; otherwise, and for a call that never comes, `discard` ends it.
 *
 * Undefined for a tool that does not say `prestart`: it may do something before it has read its input.
 */
export function startAhead(tool: RegisteredTool, options: ExecuteOptions): AheadProcess | undefined {
  if (tool.schema.ikigai?.prestart !== true || refuse(tool, options)) return undefined;
  const command = commandFor(tool, callLimits(tool, "{}", options), options);
  if ("failure" in command) return undefined;
  const key = keyOf(command);
  const stamp = stampAt(tool.path);
  const started = startProcess({ ...command, env: { ...command.env, IKIGAI_PRESTART: "1" } });
  let state: "waiting" | "taken" | "discarded" = "waiting";
  let hasExited = false;
  void started.then((result) => {
    if (!("process" in result)) return;
    if (state === "discarded") return end(result.process);
    // From now on what it prints shows: it should print nothing before its input.
    result.process.stdout.read(0);
    void result.process.exited.then(() => {
      hasExited = true;
    });
  });

  const discard = () => {
    if (state !== "waiting") return;
    state = "discarded";
    void started.then((result) => "process" in result && end(result.process));
  };

  return {
    discard,
    async take(wanted) {
      const result = await started;
      if (state !== "waiting" || !("process" in result)) return undefined;
      const isFit = !hasExited && result.process.stdout.readableLength === 0 && keyOf(wanted) === key;
      if (!isFit || stampAt(tool.path) !== stamp) {
        discard();
        return undefined;
      }
      state = "taken";
      return result.process;
    },
  };
}

/** What has to be the same for a process to serve a call: its program, directory, environment, and what it may do. */
function keyOf({ path, args, cwd, env, hasProgress, through }: Command): string {
  return JSON.stringify([path, args, cwd, hasProgress, through, env]);
}

/** SIGKILL before its stdin is closed: an empty input must never look like a call. */
function end({ pid, stdin, stdout, stderr, progress }: ToolProcess): void {
  killGroup(pid);
  forgetGroup(pid);
  for (const stream of [stdin, stdout, stderr, progress]) stream?.destroy();
}
