import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { bundled, start, type Talking } from "./programs.ts";
import { tempDir } from "./temp-dir.ts";

const inSandbox = ["--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
const canSandbox = spawnSync("bwrap", [...inSandbox, "true"]).status === 0;

/** Who has the lock, and who wants it. */
const all = [
  ["a sandboxed process", true, "one outside", false],
  ["a sandboxed process", true, "another sandboxed one", true],
  ["a process outside", false, "a sandboxed one", true],
] as const;
const pairs = all.filter((_, index) => inject("isThorough") || index === 0);

/** A process that takes the lock in a directory, in its own PID namespace or in ours. */
async function holder(isSandboxed: boolean, dir: string, holdMs: number): Promise<Talking> {
  const program = [process.execPath, await bundled("hold"), `${dir}/lock`, String(holdMs)];
  return isSandboxed ? start("bwrap", [...inSandbox, "--bind", dir, dir, ...program]) : start("env", program);
}

test.runIf(canSandbox).each(pairs)(
  "the lock of %s (sandboxed: %s) that was killed does not block %s",
  async (_, first, _second, second) => {
    const dir = await tempDir();
    const killed = await holder(first, dir, 60_000);
    await killed.said("taken");
    killed.child.kill("SIGKILL");
    await killed.ended;
    const next = await holder(second, dir, 0);
    expect(await next.ended).toBe(0);
    expect(next.lines.at(-1)).toBe("released");
    const takenMs = Number((await next.said("taken")).split(" ")[1]);
    expect(takenMs).toBeLessThan(15_000);
    expect(readdirSync(dir)).toEqual([]);
  },
);

test.runIf(canSandbox).each(pairs)(
  "the lock of %s (sandboxed: %s) that is running is not taken by %s",
  async (_, first, _second, second) => {
    const dir = await tempDir();
    const running = await holder(first, dir, 5_000);
    await running.said("taken");
    const next = await holder(second, dir, 0);
    await next.said("taken");
    // It would report a lost lock.
    await running.ended;
    expect(running.lines.at(-1)).toBe("released");
    expect(await next.ended).toBe(0);
  },
);
