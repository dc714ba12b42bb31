import { redraw, type Tui } from "../app/tui.ts";
import type { Dialog } from "./dialog.ts";

/** Dialogs that wait for the one that is open. */
const waiting = new WeakMap<Tui, Promise<unknown>>();

/**
 * Shows a dialog until it is answered; undefined when it is cancelled, by the user or by the signal. One is open at a time, the
 * next one waits.
 */
export function openDialog<Answer>(
  tui: Tui,
  create: (settle: (answer: Answer | undefined) => void) => Dialog,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const before = waiting.get(tui) ?? Promise.resolve();
  const answer = before.then(() => show(tui, create, signal));
  waiting.set(
    tui,
    answer.catch(() => {}),
  );
  return answer;
}

function show<Answer>(
  tui: Tui,
  create: (settle: (answer: Answer | undefined) => void) => Dialog,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: Answer | undefined) => {
      if (tui.dialog !== dialog) return;
      tui.dialog = undefined;
      signal?.removeEventListener("abort", onAbort);
      resolve(answer);
      redraw(tui, true);
    };
    const onAbort = () => settle(undefined);
    const dialog = create(settle);
    if (signal?.aborted) return resolve(undefined);
    signal?.addEventListener("abort", onAbort);
    tui.dialog = dialog;
    redraw(tui, true);
  });
}
