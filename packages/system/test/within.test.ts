import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { within } from "../src/index.ts";

test("returns a value that is in time, and undefined otherwise", async () => {
  expect(await within(10_000, sleep(1, "in time"))).toBe("in time");
  expect(await within(1, sleep(50, "late"))).toBeUndefined();
});

test("returns a value that was in time although the event loop was blocked", async () => {
  const child = spawn("sh", ["-c", "sleep 0.2; echo done"], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((settle) => child.stdout.resume().once("end", () => settle("ended")));
  const waiting = within(400, ended);
  // Timers run next in the loop; the timeout is due then, and the end of the stream has not been read.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000));
  expect(await waiting).toBe("ended");
});
