import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tui } from "../src/tui/app/tui.ts";
import type { Dialog } from "../src/tui/components/dialog.ts";
import { takeSuddenKey } from "../src/tui/input/sudden-keys.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A question that has been open for some milliseconds; `keys` are those that it got, `draft` those that it did not. */
function open(openMs: number, { takesText = false } = {}) {
  const keys: string[] = [];
  const pressedMs: (number | undefined)[] = [];
  const draft: string[] = [];
  const dialog: Dialog = {
    takesText,
    isLetter: (typed) => !takesText && /^[a-z]$/.test(typed),
    render: () => ({ rows: [] }) as never,
    key: (typed, atMs) => {
      keys.push(typed);
      pressedMs.push(atMs);
    },
    cancel: () => {},
  };
  const tui = {
    dialog,
    dialogSinceMs: performance.now() - openMs,
    isWriting: () => false,
    redraw: () => {},
  } as unknown as Tui;
  const type = (typed: string) => takeSuddenKey(typed, dialog, tui, (key) => draft.push(key));
  return { type, keys, draft, pressedMs };
}

test.each([
  [0, 450],
  [1_999, 450],
  [2_000, 200],
])("a letter after %d ms answers only if nothing follows within %d ms", (openMs, waitMs) => {
  const alone = open(openMs);
  alone.type("y");
  vi.advanceTimersByTime(waitMs - 1);
  expect(alone.keys).toEqual([]);
  vi.advanceTimersByTime(1);
  expect([alone.keys, alone.draft]).toEqual([["y"], []]);
  expect(alone.pressedMs).toEqual([performance.now() - waitMs]);
  const followed = open(openMs);
  followed.type("y");
  vi.advanceTimersByTime(waitMs - 1);
  followed.type("e");
  vi.advanceTimersByTime(waitMs);
  expect([followed.keys, followed.draft]).toEqual([[], ["y", "e"]]);
});

test.each([
  [999, [], ["a"]],
  [1_000, ["a"], []],
])("a text begun after %d ms", (openMs, keys, draft) => {
  const question = open(openMs, { takesText: true });
  question.type("a");
  expect([question.keys, question.draft]).toEqual([keys, draft]);
});

test("Enter belongs to a draft that was written over the question, until another key is used", () => {
  const question = open(5_000);
  for (const key of ["n", "o"]) question.type(key);
  vi.advanceTimersByTime(60_000);
  question.type("\r");
  expect([question.keys, question.draft]).toEqual([[], ["n", "o", "\r"]]);
  question.type("\u001b[B");
  question.type("\r");
  expect(question.keys).toEqual(["\u001b[B", "\r"]);
});

test.each(["\u007f", "\u0015", "\u0017"])(
  "%j edits a draft that was written over the question, and Enter sends it",
  (typed) => {
    const question = open(5_000);
    question.type("n");
    question.type("o");
    vi.advanceTimersByTime(5_000);
    question.type(typed);
    question.type("\r");
    expect([question.keys, question.draft]).toEqual([[], ["n", "o", typed, "\r"]]);
  },
);
