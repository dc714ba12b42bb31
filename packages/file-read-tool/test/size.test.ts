// @module-tag sampled
import { appendFileSync, truncateSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, bin, failure, read } from "./run.ts";

/** More than any test machine's memory; a sparse file. */
const hugeBytes = 10 * 1_024 ** 3;

/** Runs the tool, and prints its peak memory to stderr, in kilobytes. On Linux `maxRSS` begins with that of the process that forked. */
const measured = '#!/bin/sh\nexec node --require ./report.cjs "$TOOL"\n';
const report = `const { existsSync, readFileSync, writeSync } = require("node:fs");
const status = "/proc/self/status";
const peak = () => /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, "utf8"))[1];
process.on("exit", () => writeSync(2, String(existsSync(status) ? peak() : process.resourceUsage().maxRSS)));
`;

async function hugeFile(head: string, tail: string, bytes = hugeBytes): Promise<string> {
  const cwd = await tempDir({ huge: head, "measured-tool": measured, "report.cjs": report });
  truncateSync(`${cwd}/huge`, bytes);
  appendFileSync(`${cwd}/huge`, tail);
  return cwd;
}

test.each([
  ["the first line", { limit: 1 }, "first\n", 1],
  ["lines from the start", { offset: 2, limit: 2 }, "second\nthird\n", 2],
])("reads %s of 10 GB without reading on", async (_, range, output, linesRead) => {
  const cwd = await hugeFile("first\nsecond\nthird\n", "");
  const options = { cwd, env: { TOOL: bin }, timeoutMs: 5_000 };
  const end = await call(`${cwd}/measured-tool`, { file_path: "huge", ...range }, options);
  expect(end).toEqual(answer(output, linesRead));
  expect(Number(end.stderr)).toBeLessThan(100_000);
});

test("reads as much of a line of 10 GB as the host accepts", async () => {
  const cwd = await hugeFile("", "");
  const env = { TOOL: bin, IKIGAI_MAX_OUTPUT_BYTES: "1000" };
  for (const range of [{}, { limit: 1 }, { offset: 1, limit: 5 }]) {
    const end = await call(`${cwd}/measured-tool`, { file_path: "huge", ...range }, { cwd, env });
    expect(end).toEqual(answer("\0".repeat(159), 1, { truncated: true }));
    expect(Number(end.stderr)).toBeLessThan(100_000);
  }
});

test("reports without a host that the text is too long for any answer", async () => {
  const cwd = await hugeFile("", "");
  expect(await read({ file_path: "huge" }, { cwd })).toEqual(
    failure("Failed to read file: huge", "READ_FAILED", expect.stringContaining("fewer lines with offset and limit")),
  );
});

test("finds the last lines after a line that exceeds any memory limit", async () => {
  // Not 10 GB: creating that many zeros takes long, and neither the tool's work nor its memory depends on it.
  const cwd = await hugeFile("first\n", "\nlast but one\nlast\n", 1_024 ** 3);
  const options = { cwd, env: { TOOL: bin }, timeoutMs: 25_000 };
  const end = await call(`${cwd}/measured-tool`, { file_path: "huge", offset: 3 }, options);
  expect(end).toEqual(answer("last but one\nlast\n", 2));
  expect(Number(end.stderr)).toBeLessThan(100_000);
});

test("prints everything when run by hand", async () => {
  const content = "0123456789\n".repeat(1_000_000);
  const cwd = await tempDir({ a: content });
  const { result } = await read({ file_path: "a" }, { cwd });
  expect(result?.output === content).toBe(true);
  expect(result).toMatchObject({ lines_read: 1_000_000 });
});

test("cuts at the end of a line what exceeds the host's limit", async () => {
  const cwd = await tempDir({ a: "0123456789\n".repeat(100) });
  const { stdout, result } = await read({ file_path: "a" }, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "200" } });
  expect(result).toEqual({ output: "0123456789\n".repeat(12), lines_read: 12, truncated: true });
  expect(stdout.length).toBeLessThanOrEqual(200);
});

test("continues where it was cut", async () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}\t"é"\n`);
  const cwd = await tempDir({ a: lines.join("") });
  const parts: string[] = [];
  for (let offset = 1, truncated = true; truncated; ) {
    const { result } = await read({ file_path: "a", offset }, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "1500" } });
    parts.push(String(result?.output));
    offset += Number(result?.lines_read);
    truncated = result?.truncated === true;
  }
  expect(parts.join("")).toBe(lines.join(""));
});

test("does not cut what fits exactly", async () => {
  const cwd = await tempDir({ a: "x".repeat(966) });
  const { stdout } = await read({ file_path: "a" }, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "1000" } });
  expect(stdout).toBe(`{"output":"${"x".repeat(966)}","lines_read":1}`);
});

test("never exceeds the host's limit, and returns only the file's start", async () => {
  const content = fc.array(fc.constantFrom("a", "\n", '"', "\0", "é", "日", "🎉"), { maxLength: 400 });
  const cwd = await tempDir();
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 60, max: 600 }), async (characters, maxBytes) => {
      const text = characters.join("");
      const dir = await tempDir({ a: text });
      const env = { IKIGAI_MAX_OUTPUT_BYTES: `${maxBytes}` };
      const { stdout, result } = await read({ file_path: `${dir}/a` }, { cwd, env });
      const output = String(result?.output);
      expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
      expect(text.startsWith(output)).toBe(true);
      expect(output === text).toBe(result?.truncated === undefined);
      expect(result?.lines_read).toBe(output.split("\n").length - (output === "" || output.endsWith("\n") ? 1 : 0));
      if (output !== text && output.includes("\n")) expect(output.endsWith("\n")).toBe(true);
    }),
    { numRuns: 30 },
  );
});
