import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tui } from "../src/tui/app/tui.ts";
import type { Dialog } from "../src/tui/components/dialog.ts";
import { notePaste, noteResumed, type Press, passKey } from "../src/tui/input/held-keys.ts";

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** Presses keys; `passed` are those that came through, with when they were pressed. */
function screen({ hasDialog = true } = {}) {
  const tui = {
    dialog: hasDialog ? ({ isList: true } as Dialog) : undefined,
    dialogShownMs: Number.NEGATIVE_INFINITY,
    viewer: undefined,
  };
  const passed: [string, number][] = [];
  const startMs = performance.now();
  const pass = ({ typed, atMs }: Press) => passed.push([typed, Math.round(atMs - startMs)]);
  const press = (typed: string) => passKey({ typed, atMs: performance.now() }, tui as unknown as Tui, pass);
  // So that the first press repeats no key of the test before.
  passKey({ typed: "x", atMs: startMs }, { ...tui, dialog: undefined } as unknown as Tui, () => {});
  /** Presses a key several times, with a pause before each but the first. */
  const hold = (typed: string, ...pausesMs: number[]) => {
    press(typed);
    for (const pauseMs of pausesMs) {
      vi.advanceTimersByTime(pauseMs);
      press(typed);
    }
    vi.advanceTimersByTime(1_000);
    return passed.map(([key]) => key);
  };
  return { tui, passed, pass, press, hold };
}

const repeats = Array<number>(20).fill(33);

test.each(["\r", "\t"])("%j that is held down answers once at most", (key) => {
  for (const firstMs of [33, 250, 500, 1_000, 1_999])
    expect(screen().hold(key, firstMs, ...repeats), `repeating after ${firstMs} ms`).toEqual([key]);
});

test("Enter that is held down while a dialog opens does not answer it, also if the terminal stalls", () => {
  for (const stallMs of [33, 149, 249]) {
    const { tui, passed, press } = screen({ hasDialog: false });
    press("\r");
    tui.dialog = {} as Dialog;
    for (const pauseMs of [500, ...repeats, stallMs, ...repeats]) {
      vi.advanceTimersByTime(pauseMs);
      press("\r");
    }
    vi.advanceTimersByTime(1_000);
    expect(passed).toEqual([["\r", 0]]);
    press("\r");
    vi.advanceTimersByTime(600);
    expect(passed).toHaveLength(2);
  }
});

test.each([140, 170, 249])("a key that repeats every %d ms is held down, also after it is released", (ms) => {
  for (const firstMs of [250, 500, 1_000])
    expect(screen().hold("\r", firstMs, ...Array<number>(8).fill(ms)), `after ${firstMs} ms`).toEqual(["\r"]);
});

test("Enter pressed again answers when no third press follows, as pressed when it was", () => {
  const { passed, press } = screen();
  press("\r");
  vi.advanceTimersByTime(400);
  press("\r");
  vi.advanceTimersByTime(249);
  expect(passed).toHaveLength(1);
  // And one turn of the event loop, in which pending keys are read.
  vi.advanceTimersByTime(2);
  expect(passed).toEqual([
    ["\r", 0],
    ["\r", 400],
  ]);
});

test("Enter answers at once after another key, or after 2 s", () => {
  const { passed, press } = screen();
  for (const key of ["\r", "\u001b[B", "\r"]) press(key);
  expect(passed.map(([key]) => key)).toEqual(["\r", "\u001b[B", "\r"]);
  vi.advanceTimersByTime(2_000);
  press("\r");
  expect(passed).toHaveLength(4);
});

test("another key or a paste is passed on after an Enter that waits", () => {
  const { tui, passed, press, pass } = screen();
  for (const key of ["\r", "\r", "a", "\r", "\r"]) press(key);
  notePaste(tui as unknown as Tui, pass);
  expect(passed.map(([key]) => key)).toEqual(["\r", "\r", "a", "\r", "\r"]);
  vi.advanceTimersByTime(1_000);
  notePaste(tui as unknown as Tui, pass);
  expect(passed).toHaveLength(5);
});

test("an Enter that waits for a dialog goes nowhere if the dialog closes", () => {
  const { tui, passed, press } = screen();
  press("\r");
  press("\r");
  tui.dialog = undefined;
  vi.advanceTimersByTime(1_000);
  expect(passed).toHaveLength(1);
});

test.each(["b", "paste"])("nor does it answer another dialog at the next input: %s", (input) => {
  const { tui, passed, press, pass } = screen();
  press("\r");
  press("\r");
  tui.dialog = { isList: true } as Dialog;
  if (input === "paste") notePaste(tui as unknown as Tui, pass);
  else press(input);
  expect(passed.map(([key]) => key)).toEqual(input === "paste" ? ["\r"] : ["\r", input]);
});

test.each([
  ["at once after the list opened", 40, 10, false],
  ["so soon that no one has read the list", 240, 240, false],
  ["when the list has been there a moment", 251, 250, true],
  ["while the list opens late", 600, 149, false],
  ["after the list has opened late", 600, 150, true],
  ["before the terminal has shown the list", 1_500, Number.NEGATIVE_INFINITY, false],
  ["long after the first, before the terminal has shown the list", 5_000, Number.NEGATIVE_INFINITY, false],
  ["long after the first, just when the list has opened", 5_000, 149, false],
  ["long after the first, when the list has been there a moment", 5_000, 150, true],
])("a second Enter %s", (_, gapMs, shownForMs, isAnswer) => {
  const { tui, passed, press } = screen({ hasDialog: false });
  press("\r");
  vi.advanceTimersByTime(gapMs);
  Object.assign(tui, { dialog: { isList: true }, dialogShownMs: performance.now() - shownForMs });
  press("\r");
  vi.advanceTimersByTime(1_000);
  expect(passed).toHaveLength(isAnswer ? 2 : 1);
});

test.each([500, 5_000])(
  "an Enter %d ms after another is not meant for a dialog that opens before it is taken",
  (gapMs) => {
    const { tui } = screen({ hasDialog: false });
    const presses: Press[] = [];
    for (const ms of [0, gapMs]) {
      vi.advanceTimersByTime(ms);
      passKey({ typed: "\r", atMs: performance.now() }, tui as unknown as Tui, (press) => presses.push(press));
    }
    expect(presses.map(({ isBlind = false }) => isBlind)).toEqual([false, true]);
  },
);

test.each([
  ["typed ahead", 999, true],
  ["of a user who probes a terminal that hangs", 1_000, false],
])("another key and Enter %s", (_, drawnForMs, isAnswer) => {
  const { tui, passed, press } = screen();
  Object.assign(tui, { dialogSinceMs: performance.now(), dialogShownMs: Number.POSITIVE_INFINITY });
  vi.advanceTimersByTime(drawnForMs);
  for (const key of ["\u001b[A", "\r"]) press(key);
  expect(passed).toHaveLength(isAnswer ? 2 : 1);
  Object.assign(tui, { dialogShownMs: performance.now() });
  for (const key of ["\u001b[A", "\r"]) press(key);
  expect(passed).toHaveLength(isAnswer ? 4 : 3);
});

test.each([true, false])("Enter behind a paste repeats no Enter before it, with a dialog: %s", (hasDialog) => {
  const { tui, passed, press, pass } = screen({ hasDialog });
  press("\r");
  Object.assign(tui, { dialogShownMs: performance.now() });
  notePaste(tui as unknown as Tui, pass);
  passKey({ typed: "\r", atMs: performance.now() }, tui as unknown as Tui, (enter) => {
    expect(enter.isBlind).toBeUndefined();
    pass(enter);
  });
  expect(passed).toHaveLength(2);
});

test("a paste does not let go of an Enter that is held down", () => {
  const { tui, passed, press, pass } = screen();
  for (const ms of [0, 500, 33, 33]) {
    vi.advanceTimersByTime(ms);
    press("\r");
  }
  notePaste(tui as unknown as Tui, pass);
  vi.advanceTimersByTime(33);
  press("\r");
  vi.advanceTimersByTime(1_000);
  expect(passed).toEqual([["\r", 0]]);
});

test("without a dialog every key is passed on at once", () => {
  const { passed, press } = screen({ hasDialog: false });
  for (const key of ["\r", "\r", "\r", "a", "a"]) press(key);
  expect(passed).toHaveLength(5);
});

test.each([
  [499, []],
  [500, ["\r"]],
])("Enter %d ms after a suspension: %j", (ms, expected) => {
  const { passed, press } = screen({ hasDialog: false });
  noteResumed();
  vi.advanceTimersByTime(ms);
  press("\r");
  expect(passed.map(([key]) => key)).toEqual(expected);
});

test("after a suspension, Enter sends a text that was typed since", () => {
  const { passed, press } = screen({ hasDialog: false });
  noteResumed();
  for (const key of ["a", "\r"]) press(key);
  expect(passed.map(([key]) => key)).toEqual(["a", "\r"]);
});

test("Tab changes an answer that is no list as often as it is pressed", () => {
  const { tui, hold } = screen();
  tui.dialog = {} as Dialog;
  expect(hold("\t", 100, 100)).toEqual(["\t", "\t", "\t"]);
});
