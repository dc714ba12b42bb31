// A process that is started before the arguments of its call are known.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Command } from "@ikigai/sandbox";
import { callLimits } from "../call/arguments.ts";
import { makesRequests } from "../call/host-api.ts";
import type { AheadProcess, CallOptions, CallSandbox, ExpectedCall } from "../call/options.ts";
import { refuse } from "../call/outcome.ts";
import { callSandbox, commandFor } from "../call/prepare-call.ts";
import { killGuarded, startGuarded } from "../leftovers/watchdog.ts";
import type { ToolProcess } from "../process/start-process.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { processKey } from "./reuse.ts";

/**
 * Starts a tool before its arguments are known; it waits on stdin. `execute` uses the process if the call would have started
 * the same one; otherwise, or if no call comes, `discard` kills it. A waiting process does not keep the host alive.
 *
 * Returns `undefined` for a tool without `prestart`, which might act before it has read its input. A service is started only by
 * its first call. For a tool whose calls share processes, the call is only announced. Never throws: the call itself reports why the tool cannot be started.
 */
export function startAhead(
  tool: RegisteredTool,
  options: ExpectedCall & Pick<CallOptions, "callId">,
): AheadProcess | undefined {
  if (options.spares?.services.serves(tool, options)) return undefined;
  if (options.spares?.served.serves(tool, options)) return options.spares.served.expect(tool, options);
  const sandbox = callSandbox(tool, options);
  return options.spares?.take(tool, options, sandbox) ?? startWaiting(tool, options, sandbox);
}

/** Starts a process in this sandbox that waits for its arguments. */
export function startWaiting(
  tool: RegisteredTool,
  options: ExpectedCall & Pick<CallOptions, "callId">,
  sandbox: CallSandbox | undefined,
): AheadProcess | undefined {
  // What it asks before its call would be about no call.
  if (tool.schema.ikigai?.prestart !== true || makesRequests(tool) || refuse(tool, options)) return undefined;
  const { callId } = options;
  const command = expectedCommand(tool, options, sandbox);
  if ("failure" in command) return undefined;
  const key = processKey(command, tool.path);
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
    if (state === "discarded") return killGuarded(process);
    process.holdHost(false);
    // Start reading: output before any input shows that the process does not fit.
    process.stdout.read(0);
    void process.exited.then(() => {
      hasExited = true;
    });
  });
  const isFit = (wanted: Command) =>
    state === "waiting" && !hasExited && !process?.stdout.readableLength && processKey(wanted, tool.path) === key;

  const discard = () => {
    if (state !== "waiting") return;
    state = "discarded";
    if (process) killGuarded(process);
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
