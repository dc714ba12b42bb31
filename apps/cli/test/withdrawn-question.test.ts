import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Dialog } from "../src/tui/components/dialog.ts";
import { guardDialog, noteWithdrawn } from "../src/tui/components/guard-dialog.ts";
import { letterDialog } from "../src/tui/components/letter-dialog.ts";
import { lineDialog } from "../src/tui/components/line-dialog.ts";
import { pickDialog } from "../src/tui/components/pick-dialog.ts";
import { questionDialog } from "../src/tui/components/question-dialog.ts";

const style = new Proxy({}, { get: () => (text: string) => text });
const look = () => ({ theme: { style, selected: (text: string) => text }, signs: { prompt: ">", cut: "…" } }) as never;
const answered = { letter: "y", text: "once" };
const question = () => ({ title: "Run bash?", remark: "", answers: [answered], letters: "y" });
const choices = [{ value: "one", label: "one" }];

type Settle = (answer: string | undefined) => void;

/** Each dialog, and the key that answers it. */
const dialogs: Record<string, readonly [(settle: Settle) => Dialog, string]> = {
  "a question": [(settle) => questionDialog({ current: question, look, refused: () => {} }, settle), "y"],
  "a choice of letters": [(settle) => letterDialog(() => ({ choices: "y", letters: "y" }), {}, settle), "y"],
  "a line of text": [(settle) => lineDialog({ question: "", initial: "" }, settle), "\r"],
  "a list": [(settle) => pickDialog({ title: "", choices }, look, settle), "\r"],
};

/** A dialog that is open, and its answers. */
function open([create]: readonly [(settle: Settle) => Dialog, string]) {
  const answers: (string | undefined)[] = [];
  return { answers, dialog: guardDialog(create((letter) => answers.push(letter))) };
}

function draw({ dialog }: { dialog: Dialog }): void {
  for (let frame = 0; frame < 2; frame++) {
    dialog.render(80, 10);
    dialog.drawn?.(performance.now());
    if (frame === 0) vi.advanceTimersByTime(1);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

describe.each(Object.entries(dialogs))("%s", (_, create) => {
  const [, key] = create;

  test("is answered at once, but not if it follows a withdrawn one, for half a second", () => {
    const first = open(create);
    draw(first);
    first.dialog.key(key, performance.now());
    expect(first.answers).toHaveLength(1);
    noteWithdrawn();
    const next = open(create);
    draw(next);
    vi.advanceTimersByTime(498);
    next.dialog.key(key, performance.now());
    // What counts is when it was pressed, not when it was certain to be no text.
    const pressedMs = performance.now();
    vi.advanceTimersByTime(1);
    next.dialog.key(key, pressedMs);
    expect(next.answers).toEqual([]);
    next.dialog.key(key, performance.now());
    expect(next.answers).toHaveLength(1);
  });

  test("is not answered before it is drawn", () => {
    const opened = open(create);
    opened.dialog.key(key, performance.now());
    expect(opened.answers).toEqual([]);
    draw(opened);
    opened.dialog.key(key, performance.now());
    expect(opened.answers).toHaveLength(1);
  });

  test("is not answered by a key for a program that had the terminal meanwhile", () => {
    const opened = open(create);
    draw(opened);
    noteWithdrawn();
    vi.advanceTimersByTime(10_000);
    draw(opened);
    opened.dialog.key(key, performance.now());
    expect(opened.answers).toEqual([]);
    opened.dialog.key("\u001b", performance.now());
    expect(opened.answers).toEqual([undefined]);
  });
});

test("a text that is written just after a withdrawn question is not lost", () => {
  const [create] = dialogs["a line of text"] ?? [];
  if (!create) throw new Error("no such dialog");
  noteWithdrawn();
  const line = open([create, ""]);
  draw(line);
  line.dialog.key("a", performance.now());
  vi.advanceTimersByTime(500);
  line.dialog.key("\r", performance.now());
  expect(line.answers).toEqual(["a"]);
});
