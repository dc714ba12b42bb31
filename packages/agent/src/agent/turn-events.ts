import type { AgentEvent, TurnEnd } from "../turn/agent-event.ts";

/** Starts a turn that passes its events to `emit` and ends soon after its signal is aborted. */
export type StartTurn = (emit: (event: AgentEvent) => void, signal: AbortSignal) => Promise<TurnEnd>;

/**
 * Yields the events of a turn as they happen; unread events are queued. The turn starts with the first read. Ending the
 * iteration, or any of `stops`, aborts the turn; the generator waits until none of it runs.
 *
 * @throws what the turn rejects with, which is a bug.
 */
export async function* turnEvents(
  start: StartTurn,
  stops: readonly AbortSignal[],
): AsyncGenerator<AgentEvent, void, undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort();
  if (stops.some(({ aborted }) => aborted)) abort();
  // AbortSignal.any would keep every turn's signal alive as long as these.
  for (const stop of stops) stop.addEventListener("abort", abort);
  const waiting: AgentEvent[] = [];
  let wake = () => {};
  let isOver = false;
  const turn = start((event) => {
    waiting.push(event);
    wake();
  }, signal).finally(() => {
    isOver = true;
    wake();
  });
  // The loop below rethrows a rejection.
  turn.catch(() => {});
  try {
    while (!isOver || waiting.length > 0) {
      const event = waiting.shift();
      if (event) yield event;
      else if (!isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const stop of stops) stop.removeEventListener("abort", abort);
    controller.abort();
    await turn;
  }
}
