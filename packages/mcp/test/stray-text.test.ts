import { expect, test } from "vitest";
import { StrayText } from "../src/bridge/stdio-server.ts";

/** Whether this many of these lines are a flood, before the first message or after one. */
function isFlood(line: string, count: number, hasSpoken: boolean): boolean {
  const stray = new StrayText();
  if (hasSpoken) stray.note("{}", true);
  for (let n = 0; n < count; n++) stray.note(line, false);
  return stray.isFlood;
}

const kibibyte = 1_024;

test.each([
  ["empty lines before the first message", "", 10_000, false],
  ["bytes before the first message, with the line breaks", "é".repeat(511).concat("x"), kibibyte, false],
  ["empty lines between two messages", "", 100_000, true],
  ["bytes between two messages", "x".repeat(64 * kibibyte - 1), kibibyte, true],
])("counts %s", (_, line, most, hasSpoken) => {
  expect([isFlood(line, most, hasSpoken), isFlood(line, most + 1, hasSpoken)]).toEqual([false, true]);
});

test("begins again after a message", () => {
  const stray = new StrayText();
  for (let n = 0; n < 100_000; n++) stray.note("", false);
  stray.note("{}", true);
  stray.note("", false);
  expect(stray.isFlood).toBe(false);
});
