import { beforeExit } from "@ikigai/system";
import { onInterrupt } from "../host/signals.ts";
import type { Session } from "../session/session.ts";

/** Runs something that Ctrl-C stops, and that has stopped before the process ends. */
export async function whileInterruptible<Result>(
  { input, screen }: Session,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const work = run(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return work;
  });
  const interrupt = () => {
    // The terminal has written ^C where it was.
    if (!controller.signal.aborted) screen.print("\n");
    controller.abort();
  };
  // Without anybody to type the next message, Ctrl-C is about the whole.
  const resume = input.canAsk ? onInterrupt(interrupt) : () => {};
  try {
    return await work;
  } finally {
    resume();
    leave();
  }
}
