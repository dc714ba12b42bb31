// @module-tag sampled
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { bundled, start } from "./programs.ts";
import { tempDir } from "./temp-dir.ts";

/** Number of processes. The full number takes a minute on two processors: `LOCK_CONTENDERS=200`. */
const contenders = Number(process.env.LOCK_CONTENDERS ?? 16);
const rounds = 25;

test(
  "never has two holders, whichever process is killed at any time",
  async () => {
    const dir = await tempDir({ inside: "", problems: "", done: "" });
    const program = await bundled("contend");
    const processes = Array.from({ length: contenders }, () => start(process.execPath, [program, dir, String(rounds)]));
    // Each takes 40 ms of processor time to start.
    while (readFileSync(`${dir}/done`, "utf8").length < 50) await sleep(5);
    const victims = processes.slice(0, Math.floor(contenders / 2));
    for (const { child } of victims) {
      await sleep(Math.random() * 20);
      child.kill("SIGKILL");
    }
    const ends = await Promise.all(processes.slice(victims.length).map(({ ended }) => ended));
    expect(ends).toEqual(ends.map(() => 0));
    expect(readFileSync(`${dir}/problems`, "utf8")).toBe("");
    const done = readFileSync(`${dir}/done`, "utf8").trim().split("\n").length;
    expect(done).toBeGreaterThanOrEqual(ends.length * rounds);
    expect(readdirSync(dir).sort()).toEqual(["done", "inside", "problems"]);
  },
  20_000 + 2_000 * contenders,
);

const canTrace = spawnSync("strace", ["-V"]).status === 0;

test.runIf(canTrace)(
  "has one holder when several processes find it abandoned, and each pauses before it acts",
  async () => {
    const dir = await tempDir({ inside: "", problems: "", done: "" });
    const program = await bundled("contend");
    const dead = start(process.execPath, [await bundled("hold"), `${dir}/lock`, "60000"]);
    await dead.said("taken");
    dead.child.kill("SIGKILL");
    await dead.ended;
    const slowly = ["-f", "-o", "/dev/null", "-e", "inject=unlink,rename:delay_enter=300000:when=1..2"];
    const processes = Array.from({ length: 5 }, () =>
      start("strace", [...slowly, process.execPath, program, dir, "2", "400"]),
    );
    for (const { ended } of processes) expect(await ended).toBe(0);
    expect(readFileSync(`${dir}/problems`, "utf8")).toBe("");
    expect(readdirSync(dir).sort()).toEqual(["done", "inside", "problems"]);
  },
);
