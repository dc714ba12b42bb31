import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tui } from "../src/tui/app/tui.ts";
import type { Dialog } from "../src/tui/components/dialog.ts";
import { releaseHeld, takeSuddenKey } from "../src/tui/input/sudden-keys.ts";

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** After a timer, pending keys are read first, in one turn of the event loop. */
const turnMs = 1;

/** A question that has been open for some milliseconds; `keys` are those that it got, `draft` those that it did not. */
function open(openMs: number, { takesText = false, isList = false, shown = "", isRead = true } = {}) {
  const keys: string[] = [];
  const pressedMs: (number | undefined)[] = [];
  const draft: string[] = [];
  const dialog: Dialog = {
    takesText,
    isList,
    isLetter: (typed) => !takesText && /^[a-z]$/.test(typed),
    render: () => ({ rows: [] }) as never,
    key: (typed, atMs) => {
      keys.push(typed);
      pressedMs.push(atMs);
    },
    cancel: () => {},
    isRead: () => isRead,
  };
  const tui = {
    dialog: dialog as Dialog | undefined,
    dialogSinceMs: performance.now() - openMs,
    isWriting: () => false,
    editor: { text: () => shown },
    redraw: () => {},
  };
  const write = (key: string) => draft.push(key);
  const type = (typed: string) =>
    takeSuddenKey({ typed, atMs: performance.now() }, dialog, tui as unknown as Tui, write);
  const withdraw = () => {
    tui.dialog = undefined;
  };
  return { type, withdraw, keys, draft, pressedMs };
}

test("a letter sooner than anyone can have read the question begins a text", () => {
  const question = open(499);
  question.type("y");
  question.type("\r");
  vi.advanceTimersByTime(1_000);
  expect([question.keys, question.draft]).toEqual([[], ["y", "\r"]]);
});

test.each([
  [500, 450],
  [1_999, 450],
  [2_000, 200],
])("a letter after %d ms answers only if nothing follows within %d ms", (openMs, waitMs) => {
  const alone = open(openMs);
  alone.type("y");
  vi.advanceTimersByTime(waitMs - 1);
  expect(alone.keys).toEqual([]);
  vi.advanceTimersByTime(1 + turnMs);
  expect([alone.keys, alone.draft]).toEqual([["y"], []]);
  expect(alone.pressedMs).toEqual([performance.now() - waitMs - turnMs]);
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

test.each([
  ["a", "\u001b[D", "draft"],
  ["a", "\u001b[C", "draft"],
  ["a", "\u001b[A", "question"],
  ["a", "\u001b[B", "question"],
  ["a\nb", "\u001b[A", "draft"],
  ["a\nb", "\u001b[B", "draft"],
  ["a\nb", "\u0010", "draft"],
  ["", "\u001b[D", "question"],
])("with the draft %j over the question, %j belongs to the %s", (shown, arrow, owner) => {
  const question = open(5_000, { shown });
  question.type("n");
  question.type("o");
  vi.advanceTimersByTime(5_000);
  question.type(arrow);
  question.type("\r");
  const expected =
    owner === "draft"
      ? [[], ["n", "o", arrow, "\r"]]
      : [
          [arrow, "\r"],
          ["n", "o"],
        ];
  expect([question.keys, question.draft]).toEqual(expected);
});

test.each([
  ["look at", {}],
  ["look at", { isList: true, takesText: true }],
  ["a\nb", {}],
])("Tab belongs to the draft %j, and the next Enter too, also after a choice", (shown, kind) => {
  for (const before of [[], ["\u001b[B"]]) {
    const question = open(5_000, { shown, ...kind });
    for (const key of before) question.type(key);
    question.type("\t");
    question.type("\r");
    expect([...question.keys, ...question.draft]).toEqual([...before, "\t", "\r"]);
    expect(question.draft.slice(-2)).toEqual(["\t", "\r"]);
  }
});

test("Tab changes an answer where no draft is, and does not make Enter an answer after a draft", () => {
  const question = open(5_000);
  question.type("\t");
  question.type("\r");
  expect(question.keys).toEqual(["\t", "\r"]);
  const list = open(5_000, { isList: true, takesText: true });
  list.type("\t");
  expect(list.keys).toEqual(["\t"]);
  const deleted = open(5_000);
  for (const key of ["n", "o"]) deleted.type(key);
  vi.advanceTimersByTime(5_000);
  deleted.type("\t");
  deleted.type("\r");
  expect([deleted.keys, deleted.draft]).toEqual([["\t"], ["n", "o", "\r"]]);
});

test("Tab chooses from a list that opened suddenly no sooner than Enter", () => {
  for (const key of ["\t", "\r"]) {
    const early = open(999, { isList: true, takesText: true });
    early.type(key);
    expect([early.keys, early.draft]).toEqual([[], [key]]);
    const later = open(1_000, { isList: true, takesText: true });
    later.type(key);
    expect([later.keys, later.draft]).toEqual([[key], []]);
  }
});

const moves = ["\u001b[A", "\u001b[B", "\u001b[C", "\u001b[D", "\u0010", "\u000e", "\t"];

test("a key that moves, sooner than anyone can have read the question, chooses nothing, and neither does Enter after it", () => {
  for (const shown of ["", "look at"])
    for (const kind of [{}, { isList: true, takesText: true }])
      for (const move of moves) {
        const question = open(499, { shown, ...kind });
        question.type(move);
        vi.advanceTimersByTime(1_000);
        question.type("\r");
        expect([question.keys, question.draft], JSON.stringify([shown, move])).toEqual([[], [move, "\r"]]);
      }
});

test("a key that moves means nothing to a question that is on the screen again since a moment", () => {
  for (const move of moves) {
    const alone = open(5_000, { isRead: false });
    alone.type(move);
    expect([alone.keys, alone.draft], JSON.stringify(move)).toEqual([[], []]);
    const covering = open(5_000, { isRead: false, shown: "look at" });
    covering.type(move);
    covering.type("\r");
    expect([covering.keys, covering.draft]).toEqual([[], [move, "\r"]]);
  }
});

test("with a draft, text continues it, and is an answer only after up or down", () => {
  const question = open(5_000, { shown: "look at", takesText: true });
  for (const key of [" ", "i", "t"]) question.type(key);
  expect([question.keys, question.draft]).toEqual([[], [" ", "i", "t"]]);
  for (const key of ["\u001b[B", "a", "\r"]) question.type(key);
  expect(question.keys).toEqual(["\u001b[B", "a", "\r"]);
});

test("with a draft, a letter waits longer, and Enter after it sends both", () => {
  const end = open(60_000, { shown: "director" });
  end.type("y");
  vi.advanceTimersByTime(400);
  end.type("\r");
  expect([end.keys, end.draft]).toEqual([[], ["y", "\r"]]);
  const alone = open(60_000, { shown: "director" });
  alone.type("y");
  vi.advanceTimersByTime(450 + turnMs);
  expect([alone.keys, alone.draft]).toEqual([["y"], []]);
  const chosen = open(60_000, { shown: "director" });
  for (const key of ["\u001b[B", "y", "\r"]) chosen.type(key);
  expect([chosen.keys, chosen.draft]).toEqual([["\u001b[B", "y"], []]);
});

test("a letter that is no answer leaves Enter to the draft", () => {
  const question = open(5_000, { shown: "no" });
  question.type("z");
  vi.advanceTimersByTime(1_000);
  question.type("\r");
  expect([question.keys, question.draft]).toEqual([["z"], ["\r"]]);
});

test("a draft from before the question has Enter until up or down is used", () => {
  const question = open(5_000, { shown: "look at" });
  question.type("\r");
  question.type("\u001b[B");
  question.type("\r");
  expect([question.keys, question.draft]).toEqual([["\u001b[B", "\r"], ["\r"]]);
});

test("with a draft, the text that would filter a list goes to the draft", () => {
  for (const [shown, expected] of [
    ["", [["a", "\r"], []]],
    ["look at", [[], ["a", "\r"]]],
  ] as const) {
    const list = open(5_000, { shown, isList: true, takesText: true });
    list.type("a");
    list.type("\r");
    expect([list.keys, list.draft]).toEqual(expected);
  }
});

test("the first letter of a text is not lost if the question is withdrawn", () => {
  const waited = open(5_000);
  waited.type("p");
  waited.withdraw();
  vi.advanceTimersByTime(200 + turnMs);
  expect([waited.keys, waited.draft]).toEqual([[], ["p"]]);
  const released = open(5_000);
  released.type("p");
  released.withdraw();
  releaseHeld();
  expect([released.keys, released.draft]).toEqual([[], ["p"]]);
  const [first, second] = [open(5_000), open(5_000)];
  first.type("p");
  second.type("y");
  vi.advanceTimersByTime(450 + turnMs);
  expect([first.keys, first.draft, second.keys, second.draft]).toEqual([[], ["p"], ["y"], []]);
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
