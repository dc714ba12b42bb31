import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { within } from "../src/index.ts";

test("gives what comes in time, and undefined for what does not", async () => {
  expect(await within(10_000, sleep(1, "in time"))).toBe("in time");
  expect(await within(1, sleep(50, "late"))).toBeUndefined();
});

test("what came in time counts, although the event loop was blocked meanwhile", async () => {
  const child = spawn("sh", ["-c", "sleep 0.2; echo done"], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((settle) => child.stdout.resume().once("end", () => settle("ended")));
  const waiting = within(400, ended);
  // Timers come next after this part of the loop: theirs is due then, and the end of the stream is not read yet.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000));
  expect(await waiting).toBe("ended");
});
