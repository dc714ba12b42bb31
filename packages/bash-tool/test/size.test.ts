import { readFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, run } from "./run.ts";

test("prints everything when run by hand", async () => {
  const { result } = await run("head -c 10485760 /dev/zero | tr '\\0' x");
  expect(result).toEqual({ output: "x".repeat(10_485_760), exit_code: 0 });
});

test.each([200, 1_000, 65_536])("keeps the answer within %i bytes, head and tail", async (maxBytes) => {
  const { stdout, result } = await run("seq 1 100000; exit 9", { env: { IKIGAI_MAX_OUTPUT_BYTES: `${maxBytes}` } });
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
  expect(Buffer.byteLength(stdout)).toBeGreaterThan(maxBytes - 100);
  expect(result).toMatchObject({ exit_code: 9, truncated: true });
  const [head = "", leftOut, tail = ""] = String(result?.output).split(/… (\d+) bytes left out …\n/);
  expect(head).toMatch(/^1\n2\n3\n/);
  expect(head.endsWith("\n")).toBe(true);
  expect(tail).toMatch(/^\d+\n(?:.*\n)*100000$/);
  expect(head.length + Number(leftOut) + tail.length).toBe(588_895 - 1);
});

test.each([
  ["short characters", "yes 'é\"'"],
  ["what JSON escapes", "head -c 100000 /dev/zero"],
  ["invalid UTF-8", "yes $(printf '\\377')"],
  ["long characters in one line", "yes 🎉 | tr -d '\\n'"],
])("keeps within the limit for a flood of %s", async (_, flood) => {
  const env = { IKIGAI_MAX_OUTPUT_BYTES: "5000" };
  const { stdout, result } = await run(`${flood} | head -c 200000`, { env });
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(5_000);
  expect(result).toMatchObject({ exit_code: 0, truncated: true });
});

test("does not cut what fits", async () => {
  const { result } = await run("seq 1 100", { env: { IKIGAI_MAX_OUTPUT_BYTES: "1000" } });
  expect(result).toEqual({ output: Array.from({ length: 100 }, (_, index) => index + 1).join("\n"), exit_code: 0 });
});

test("limits its memory in an endless flood", async () => {
  const env = { IKIGAI_MAX_OUTPUT_BYTES: "65536", NODE_OPTIONS: "--max-old-space-size=64" };
  const cwd = await tempDir();
  const command = "yes & writer=$!; sleep 1; grep VmHWM /proc/$PPID/status > peak; kill $writer";
  const { result } = await call(bin, { command }, { env, cwd });
  const [, peakKib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`${cwd}/peak`, "utf8")) ?? [];
  expect(result).toMatchObject({ exit_code: 0, truncated: true });
  if (process.platform === "linux") expect(Number(peakKib)).toBeLessThan(150_000);
});
