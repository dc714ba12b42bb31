import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBegunCommand } from "../src/tui/app/begun-command.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<void>(() => {});

test("may open a dialog for 300 milliseconds", () => {
  const command = createBegunCommand();
  command.begin(never);
  vi.advanceTimersByTime(299);
  expect(command.isOpening()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(command.isOpening()).toBe(false);
});

test.each(["before", "after"])("may open a dialog for two seconds if it says so %s it is noted", (when) => {
  const command = createBegunCommand();
  if (when === "before") command.expectDialog();
  command.begin(never);
  if (when === "after") command.expectDialog();
  vi.advanceTimersByTime(1_999);
  expect(command.isOpening()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(command.isOpening()).toBe(false);
  command.expectDialog();
  command.opened();
  command.begin(never);
  vi.advanceTimersByTime(300);
  expect(command.isOpening()).toBe(false);
});

test("opens nothing more after its dialog or its end, or without one", async () => {
  const command = createBegunCommand();
  command.begin(never);
  command.opened();
  expect(command.isOpening()).toBe(false);
  command.begin(undefined);
  expect(command.isOpening()).toBe(false);
  command.begin(Promise.resolve());
  expect(command.isOpening()).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(command.isOpening()).toBe(false);
});

test("is not over at the end of the one before", async () => {
  const command = createBegunCommand();
  command.begin(Promise.resolve());
  command.begin(never);
  await vi.advanceTimersByTimeAsync(0);
  expect(command.isOpening()).toBe(true);
});
