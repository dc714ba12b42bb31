import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { noteFrame, pressedMs } from "../src/tui/terminal/press-time.ts";

function busy(ms: number): void {
  for (const startMs = performance.now(); performance.now() - startMs < ms; );
}

/** Draws a frame, and waits until all keys from before are read. */
async function frame(): Promise<number> {
  noteFrame();
  const atMs = performance.now();
  await setImmediate().then(() => setImmediate());
  await setImmediate();
  return atMs;
}

test("a key that waited while the event loop was busy counts as pressed when that began", async () => {
  const drawnMs = await frame();
  busy(200);
  await setImmediate();
  expect(pressedMs() - drawnMs).toBeLessThan(100);
});

test("a key that is read while the event loop is idle counts as pressed now", async () => {
  await frame();
  await sleep(300);
  expect(performance.now() - pressedMs()).toBeLessThan(150);
});

test("work before the frame does not count, work for the frame does", async () => {
  await frame();
  busy(200);
  const beforeMs = performance.now();
  // Read in the turn that follows the frame.
  noteFrame();
  expect(beforeMs - pressedMs()).toBeGreaterThan(100);
  await frame();
  expect(performance.now() - pressedMs()).toBeLessThan(100);
});
