import { expect, onTestFinished, test, vi } from "vitest";
import { askLine } from "../src/tui/app/open-dialog.ts";
import { writingMs } from "../src/tui/app/screen-state.ts";
import type { Tui } from "../src/tui/app/tui.ts";
import type { Dialog } from "../src/tui/components/dialog.ts";

/** Asks for a line, and returns what the screen notes of the user's writing. */
function open(signal: AbortSignal) {
  const written: boolean[] = [];
  const tui = {
    dialog: undefined as Dialog | undefined,
    afterDialogs: (ask: () => Promise<unknown>) => ask(),
    openDialog: (dialog: Dialog) => {
      tui.dialog = dialog;
    },
    closeDialog: () => {
      tui.dialog = undefined;
    },
    noteWriting: (isEmpty: boolean) => written.push(!isEmpty),
    noteCommand: () => {},
    surprises: () => false,
    editor: { text: () => "" },
  };
  const answer = askLine(tui as unknown as Tui, "Your name? ", { signal });
  return { type: (typed: string) => tui.dialog?.key(typed, performance.now()), answer, written };
}

test.each([
  [writingMs - 1, [true]],
  [writingMs, []],
])(
  "the rest of an answer whose question is withdrawn %d ms after a letter goes to the draft: %j",
  async (ms, expected) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const withdrawal = new AbortController();
    const line = open(withdrawal.signal);
    line.type("h");
    vi.advanceTimersByTime(ms);
    expect(line.written).toEqual([]);
    withdrawal.abort();
    expect(await line.answer).toBeUndefined();
    expect(line.written).toEqual(expected);
  },
);
