import { setTimeout as sleep } from "node:timers/promises";
import { Lock } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasEnded } from "../src/session-agents.ts";

test("an agent that ends later is waited for", async () => {
  const lock = new Lock(`${await tempDir()}/lock`);
  lock.tryTake();
  const ended = hasEnded(lock.path, process.pid);
  await sleep(200);
  lock.release();
  expect(await ended).toBe(true);
});

test("an agent that does not end is waited for five seconds", async () => {
  using lock = new Lock(`${await tempDir()}/lock`);
  lock.tryTake();
  const begunMs = performance.now();
  expect(await hasEnded(lock.path, process.pid)).toBe(false);
  expect(performance.now() - begunMs).toBeGreaterThanOrEqual(4_900);
});

test("an agent that was not running has ended", async () => {
  expect(await hasEnded("/nowhere", undefined)).toBe(true);
});
