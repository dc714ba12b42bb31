// @module-tag sampled
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { measureQueueTime } from "../src/run/subject.ts";

const canPin = process.platform === "linux" && spawnSync("taskset", ["--version"]).status === 0;

/** Runs a shell script on one processor, always the same. */
function pinned(script: string) {
  const [, processor = "0"] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const child = spawn("taskset", ["-c", processor, "sh", "-c", script], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test.runIf(canPin)("measures how long a process waits for a processor, but not how long it sleeps", async () => {
  pinned("while :; do :; done");
  const startedMs = performance.now();
  const worker = pinned("n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done");
  const stop = measureQueueTime(worker.pid ?? 0);
  await once(worker, "exit");
  const queuedMs = stop();
  expect(queuedMs).toBeGreaterThan(10);
  expect(queuedMs).toBeLessThan(performance.now() - startedMs);

  // Before it starts: it may wait for the processor before this process runs again.
  const sleptMs = performance.now();
  const sleeper = pinned("exec sleep 1.5");
  const stopAgain = measureQueueTime(sleeper.pid ?? 0);
  await once(sleeper, "exit");
  expect(performance.now() - sleptMs - stopAgain()).toBeGreaterThan(1_400);
});
