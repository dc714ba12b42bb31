import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { isLinux, stopWatching, watchState } from "../src/index.ts";

/** How many of this process's descriptors are open on the state of a process. */
function descriptorsOn(pid: number): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === `/proc/${pid}/stat`;
    } catch {
      return false;
    }
  }).length;
}

test.runIf(isLinux)("tells how a process is now, and holds one descriptor until it is no longer watched", async () => {
  const child = spawn("sh", ["-c", "echo; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const pid = Number(child.pid);
  await expect.poll(() => watchState(pid)).toBe("S");
  child.kill("SIGSTOP");
  await expect.poll(() => watchState(pid)).toBe("T");
  expect(descriptorsOn(pid)).toBe(1);
  stopWatching(pid);
  expect(descriptorsOn(pid)).toBe(0);
  expect(watchState(pid)).toBe("T");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(watchState(pid)).toBeUndefined();
  expect(descriptorsOn(pid)).toBe(0);
});
