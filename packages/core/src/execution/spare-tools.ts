import type { RegisteredTool } from "../registry/registry.ts";
import type { AheadProcess, CallSandbox, ExpectedCall, SpareTools } from "./call-options.ts";
import { callSandbox } from "./call-sandbox.ts";
import { expectedCommand, startWaiting } from "./start-ahead.ts";

/**
 * How many wait at once. A Node tool that waits has 6 MB of its own; beyond its interpreter's code, which all of them share,
 * that is what one costs. Models call the same one or two tools over and over.
 */
const maxSpares = 2;

/** How long one waits, in milliseconds: longer than a model takes to its next call, shorter than a person stays away. */
const maxIdleMs = 60_000;

const checkMs = 5_000;

/** Below this much free memory, in bytes, none is kept. */
const scarceBytes = 268_435_456;

/** How many have been started, of all places: a call's id is unique in its host. */
let started = 0;

interface Spare {
  readonly path: string;
  readonly waiting: AheadProcess;
  readonly sinceMs: number;
}

/** A place to keep spare processes. What is kept here ends with the host in whatever way it ends, and keeps no host alive. */
export function spareTools(): SpareTools {
  let spares: Spare[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Ends those that do not pass. */
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
  const close = () => {
    isClosed = true;
    retain(() => false);
    process.off("exit", close);
  };
  process.once("exit", close);

  return {
    close,
    keep(tool, expected, sandbox = callSandbox(tool, expected)) {
      retainFitting(tool, expected, sandbox);
      // Whether a file on another machine is still the same is not to be seen from here.
      if (isClosed || tool.launcher || isMemoryScarce() || spares.some(({ path }) => path === tool.path)) return;
      const waiting = startWaiting(tool, { ...expected, callId: `ahead_${++started}` }, sandbox);
      if (waiting === undefined) return;
      spares.push({ path: tool.path, waiting, sinceMs: performance.now() });
      retain((_, index) => index >= spares.length - maxSpares);
      timer ??= setInterval(check, checkMs).unref();
    },
    take(tool, expected, sandbox = callSandbox(tool, expected)) {
      retainFitting(tool, expected, sandbox);
      const found = spares.find(({ path }) => path === tool.path);
      spares = spares.filter((spare) => spare !== found);
      return found && { ...found.waiting, sandbox };
    },
  };
}

function isMemoryScarce(): boolean {
  return process.availableMemory() < scarceBytes;
}
