import type { AgentEvent, TurnEnd } from "../turn/agent-event.ts";

/** Starts a turn that hands its events to `emit` and ends soon after its signal has been aborted. */
export type StartTurn = (emit: (event: AgentEvent) => void, signal: AbortSignal) => Promise<TurnEnd>;

/**
 * The events of a turn, as they happen; events that are not read yet wait. The turn starts with the first read. To stop reading
 * aborts the turn and waits until nothing of it runs any more; each of `stops` aborts it as well.
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
  // Whoever reads to the end hears of a rejection below.
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
