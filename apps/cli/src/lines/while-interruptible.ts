import { beforeExit } from "@ikigai/system";
import { onInterrupt } from "../host/signals.ts";
import type { Session } from "../session/session.ts";

/** Runs something that Ctrl-C stops, and that has stopped before the process ends. */
export async function whileInterruptible<Result>(
  { input }: Session,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const work = run(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return work;
  });
  // Without anybody to type the next message, Ctrl-C is about the whole.
  const resume = input.canAsk ? onInterrupt(() => controller.abort()) : () => {};
  try {
    return await work;
  } finally {
    resume();
    leave();
  }
}
