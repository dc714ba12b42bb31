import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isDeadState, isDying, isLinux, readStat } from "../src/index.ts";

test.runIf(isLinux)("knows a killed process that is not gone yet", async () => {
  // It waits for a reader of its output, and the kernel takes a while to free this much memory.
  const child = spawn("dd", ["if=/dev/zero", "bs=500M", "count=1"], { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  await once(child.stdout, "readable");
  const pid = Number(child.pid);
  expect(isDying(pid)).toBe(false);
  child.kill("SIGKILL");
  let looks = 0;
  for (;;) {
    const isKnown = isDying(pid);
    if (isDeadState(readStat(pid)?.state ?? "Z")) break;
    expect(isKnown).toBe(true);
    looks++;
  }
  expect(looks).toBeGreaterThan(0);
  await exited;
  expect(isDying(pid)).toBe(false);
});
