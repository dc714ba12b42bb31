import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { bin } from "./run.ts";

/** Runs a command as a host does that listens on descriptor 3, or has closed it. */
async function runUnderHost(command: string, descriptor: "pipe" | "ignore") {
  const child = spawn(bin, {
    stdio: ["pipe", "pipe", "inherit", descriptor],
    env: { ...process.env, IKIGAI_PROGRESS_FD: "3" },
  });
  child.stdin?.end(JSON.stringify({ command }));
  const reports = child.stdio[3] as Readable | null;
  const [answer, progress] = await Promise.all([text(child.stdout as Readable), reports ? text(reports) : ""]);
  const lines = progress.trimEnd().split("\n").filter(Boolean);
  return {
    answer: JSON.parse(answer),
    reports: lines.map((line) => JSON.parse(line)),
    longest: Math.max(0, ...lines.map((line) => Buffer.byteLength(line))),
  };
}

test("tells what a command prints while it prints", async () => {
  const { answer, reports } = await runUnderHost("echo one; sleep 0.4; echo two; sleep 0.4", "pipe");
  expect(answer).toEqual({ output: "one\ntwo", exit_code: 0 });
  expect(reports).toEqual([
    { progress: 4, message: "one\n" },
    { progress: 8, message: "one\ntwo\n" },
  ]);
});

test("shows the last whole lines of much, in lines that a host reads", async () => {
  const { reports, longest } = await runUnderHost("seq 100000; printf '\\001%.0s' $(seq 5000); sleep 0.4", "pipe");
  expect(reports.at(-1)?.progress).toBe(593_895);
  expect(longest).toBeLessThan(8_192);
  const numbers = await runUnderHost("seq 100000; sleep 0.4", "pipe");
  expect(numbers.reports.at(-1)?.message).toMatch(/^99\d{3}\n(\d+\n)*100000\n$/);
});

test("a quick command is not reported on, and a host need not listen", async () => {
  expect((await runUnderHost("echo quick", "pipe")).reports).toEqual([]);
  expect((await runUnderHost("echo deaf; sleep 0.4", "ignore")).answer.output).toBe("deaf");
});
