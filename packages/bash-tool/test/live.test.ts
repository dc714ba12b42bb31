import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin } from "./run.ts";

/** A command line that waits until the host has seen this many bytes of its output reported. */
const untilSeen = (bytes: number) => `while [ ! -e seen-${bytes} ]; do sleep 0.02; done`;

/** Runs a command with descriptor 3 open or closed. */
async function runUnderHost(command: string, descriptor: "pipe" | "ignore") {
  const cwd = await tempDir();
  const child = spawn(bin, {
    cwd,
    stdio: ["pipe", "pipe", "inherit", descriptor],
    env: { ...process.env, IKIGAI_PROGRESS_FD: "3" },
  });
  child.stdin?.end(JSON.stringify({ command }));
  const lines: string[] = [];
  const listen = async (reports: Readable) => {
    for await (const line of createInterface(reports)) {
      lines.push(line);
      writeFileSync(`${cwd}/seen-${JSON.parse(line).progress}`, "");
    }
  };
  const reports = child.stdio[3] as Readable | null;
  const [answer] = await Promise.all([text(child.stdout as Readable), reports && listen(reports)]);
  return {
    answer: JSON.parse(answer),
    reports: lines.map((line) => JSON.parse(line)),
    longest: Math.max(0, ...lines.map((line) => Buffer.byteLength(line))),
  };
}

test("reports output while the command runs", async () => {
  const { answer, reports } = await runUnderHost(`echo one; ${untilSeen(4)}; echo two; ${untilSeen(8)}`, "pipe");
  expect(answer).toEqual({ output: "one\ntwo", exit_code: 0 });
  expect(reports).toEqual([
    { progress: 4, message: "one\n" },
    { progress: 8, message: "one\ntwo\n" },
  ]);
});

test("reports the last whole lines of a long output, in lines that a host accepts", async () => {
  const { reports, longest } = await runUnderHost(
    `seq 100000; printf '\\001%.0s' $(seq 5000); ${untilSeen(593_895)}`,
    "pipe",
  );
  expect(reports.at(-1)?.progress).toBe(593_895);
  expect(longest).toBeLessThan(8_192);
  const numbers = await runUnderHost(`seq 100000; ${untilSeen(588_895)}`, "pipe");
  expect(numbers.reports.at(-1)?.message).toMatch(/^99\d{3}\n(\d+\n)*100000\n$/);
});

test("does not report a fast command, and needs no host that listens", async () => {
  // On a busy machine it may be slow once.
  await expect.poll(async () => (await runUnderHost("echo quick", "pipe")).reports).toEqual([]);
  expect((await runUnderHost("echo deaf; sleep 0.4", "ignore")).answer.output).toBe("deaf");
});
