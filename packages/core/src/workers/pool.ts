// The pool of a host's workers. Without one, a call starts a process, which exits with its answer. A worker is there before its call:
//
// - a spare waits for the arguments of one call (start-ahead.ts), if the tool declares `prestart`;
// - a served process answers many calls, one after the other (served/), if the tool declares `serves`;
// - a service answers the calls of a conversation, several at once, and keeps its state (service/), if the tool names a `service`.
//
// The last two each have a pool, a lane (the processes of one tool or service), a process, its replies, and a call. What goes over their
// pipes is in lines.ts, and when a call may use a process that is already there in reuse.ts.

import { atExit } from "@ikigai/system";
import type { AheadProcess, CallSandbox, ExpectedCall, SpareTools } from "../call/options.ts";
import { callSandbox } from "../call/prepare-call.ts";
import { hostCallId } from "../process/tool-command.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { isMemoryScarce } from "./reuse.ts";
import { servedPool } from "./served/pool.ts";
import { servicePool } from "./service/pool.ts";
import { expectedCommand, startWaiting } from "./start-ahead.ts";

/**
 * How many processes wait at once. Each costs 6 MB besides the interpreter's code, which they share. Models mostly call the
 * same one or two tools.
 */
const maxSpares = 2;

/** How long a process waits, in milliseconds: longer than a model needs for its next call, shorter than a person's break. */
const maxIdleMs = 60_000;

const checkMs = 5_000;

interface Spare {
  readonly path: string;
  readonly waiting: AheadProcess;
  readonly sinceMs: number;
}

/**
 * Creates a pool of waiting tool processes: the next call of a tool need not wait for its start. Pass it as `spares` to
 * `callTool` or `execute`. At most two processes wait, up to a minute each; of a tool that declares `serves`, at most two as
 * well, each of which answers up to 200 calls. A tool that names a `service` gets one process for all calls of a conversation, which
 * ends when the pool is closed. They do not keep the host alive, and end with it.
 * Never throws: a call starts a process of its own if none is waiting.
 *
 * @example
 * const spares = spareTools();
 * await callTool(registry, "bash", args, { spares });
 * await spares.close();
 */
export function spareTools(): SpareTools {
  const served = servedPool();
  const services = servicePool();
  let spares: Spare[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Kills the processes that do not pass. */
  const retain = (passes: (spare: Spare, index: number) => boolean) => {
    const kept = spares.filter(passes);
    for (const spare of spares) if (!kept.includes(spare)) spare.waiting.discard();
    spares = kept;
    if (spares.length > 0 || !timer) return;
    clearInterval(timer);
    timer = undefined;
  };
  const retainFitting = (tool: RegisteredTool, expected: ExpectedCall, sandbox: CallSandbox | undefined) =>
    retain(({ path, waiting }) => {
      if (path !== tool.path) return true;
      const command = expectedCommand(tool, { ...expected, callId: waiting.callId }, sandbox);
      return !("failure" in command) && waiting.fits(command);
    });
  const check = () => retain(({ sinceMs }) => performance.now() - sinceMs < maxIdleMs && !isMemoryScarce());
  const killWaiting = () => {
    isClosed = true;
    served.close();
    retain(() => false);
  };
  const forget = atExit(killWaiting);

  return {
    served,
    services,
    call: async (call) => (await services.call(call)) ?? served.call(call),
    async close() {
      killWaiting();
      forget();
      await services.close();
    },
    refresh() {
      void services.refresh();
      served.refresh();
      retain(() => false);
    },
    keep(tool, expected, sandbox = callSandbox(tool, expected)) {
      if (services.serves(tool, expected)) return;
      if (served.serves(tool, expected)) {
        served.keep(tool, expected);
        return;
      }
      retainFitting(tool, expected, sandbox);
      // Nothing here would show that a file on another machine has changed.
      if (isClosed || tool.launcher || isMemoryScarce() || spares.some(({ path }) => path === tool.path)) return;
      const waiting = startWaiting(tool, { ...expected, callId: hostCallId("ahead") }, sandbox);
      if (waiting === undefined) return;
      spares.push({ path: tool.path, waiting, sinceMs: performance.now() });
      retain((_, index) => index >= spares.length - maxSpares);
      timer ??= setInterval(check, checkMs).unref();
    },
    take(tool, expected, sandbox = callSandbox(tool, expected)) {
      if (served.serves(tool, expected) || services.serves(tool, expected)) return undefined;
      retainFitting(tool, expected, sandbox);
      const found = spares.find(({ path }) => path === tool.path);
      spares = spares.filter((spare) => spare !== found);
      return found && { ...found.waiting, sandbox };
    },
  };
}
