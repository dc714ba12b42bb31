import { expect, onTestFinished, test, vi } from "vitest";
import { noteWithdrawn, questionDialog } from "../src/tui/components/question-dialog.ts";

/** A question on the screen, and the letters that answered it. */
function open() {
  const answers: (string | undefined)[] = [];
  const current = () => ({ title: "Run bash?", remark: "", answers: [{ letter: "y", text: "once" }], letters: "y" });
  const style = new Proxy({}, { get: () => (text: string) => text });
  const look = () =>
    ({ theme: { style, selected: (text: string) => text }, signs: { prompt: ">", cut: "…" } }) as never;
  const dialog = questionDialog({ current, look, refused: () => {} }, (letter) => answers.push(letter));
  dialog.render(80, 10);
  return { answers, dialog };
}

test("a letter answers at once, but not a question that follows a withdrawn one, for half a second", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const first = open();
  first.dialog.key("y");
  expect(first.answers).toEqual(["y"]);
  noteWithdrawn();
  const next = open();
  vi.advanceTimersByTime(499);
  next.dialog.key("y");
  expect(next.answers).toEqual([]);
  // What counts is when it was pressed, not when it was certain to be no text.
  const pressedMs = performance.now();
  vi.advanceTimersByTime(1);
  next.dialog.key("y", pressedMs);
  expect(next.answers).toEqual([]);
  next.dialog.key("y");
  expect(next.answers).toEqual(["y"]);
  // Also if it is drawn much later, because another text was on the screen.
  noteWithdrawn();
  vi.advanceTimersByTime(10_000);
  const behind = open();
  behind.dialog.key("y");
  expect(behind.answers).toEqual([]);
  const later = open();
  later.dialog.key("y");
  expect(later.answers).toEqual(["y"]);
});
