import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createShownReports } from "../src/tui/terminal/shown-reports.ts";

const answer = "\u001b[0n";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open({ isAnswering = true } = {}) {
  const printed: string[] = [];
  const reports = createShownReports((text) => printed.push(text));
  if (isAnswering) reports.take(answer);
  const shown: string[] = [];
  const subjects: Record<string, object> = {};
  const ask = (name: string) => {
    subjects[name] ??= {};
    reports.ask(subjects[name], () => shown.push(name));
    vi.advanceTimersByTime(20);
  };
  return { reports, printed, shown, ask };
}

test("believes at once a terminal that has never answered", () => {
  const { printed, shown, ask } = open({ isAnswering: false });
  ask("a");
  expect([printed, shown]).toEqual([[], ["a"]]);
});

test("asks once for each subject until the answer", () => {
  const { reports, printed, shown, ask } = open();
  for (const name of ["a", "a", "b"]) ask(name);
  expect([printed.length, shown]).toEqual([2, []]);
  expect(reports.take(answer)).toBe(true);
  expect(shown).toEqual(["a"]);
  reports.take(answer);
  expect(shown).toEqual(["a", "b"]);
  ask("a");
  expect(printed).toHaveLength(3);
});

test("believes a terminal that has not answered for ten seconds", () => {
  const { shown, ask } = open();
  ask("a");
  vi.advanceTimersByTime(9_979);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(shown).toEqual(["a"]);
});

test("what is forgotten is asked again, and its time is not up for the new question", () => {
  const { reports, printed, shown, ask } = open();
  ask("a");
  vi.advanceTimersByTime(5_000);
  reports.forget();
  ask("a");
  vi.advanceTimersByTime(5_000);
  expect([printed.length, shown]).toEqual([2, []]);
  reports.take(answer);
  expect(shown).toEqual(["a"]);
});

test("does not ask what is forgotten before keys that have waited are taken", () => {
  const { reports, printed } = open();
  const subject = {};
  reports.ask(subject, () => {});
  vi.advanceTimersByTime(19);
  expect(printed).toEqual([]);
  reports.forget();
  vi.advanceTimersByTime(1_000);
  expect(printed).toEqual([]);
  reports.ask(subject, () => {});
  vi.advanceTimersByTime(20);
  expect(printed).toHaveLength(1);
});

test("takes only its own answers", () => {
  const { reports } = open();
  expect(reports.take(answer)).toBe(true);
  for (const typed of ["\u001b[1;1R", "y", "\u001b[0", "0n"]) expect(reports.take(typed)).toBe(false);
});
