// @module-tag sampled
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

test.each(["utf-16le", "utf-16be"])("decodes %s with a byte order mark", async (encoding) => {
  const bytes = Buffer.from("\ufeffeins\r\nzwei é\n", "utf16le");
  const cwd = await tempDir({ a: encoding === "utf-16le" ? bytes : bytes.swap16() });
  expect((await call(bin, { pattern: "^zwei .$" }, { cwd })).result).toEqual({ output: "a:2: zwei é", count: 1 });
});

describe("a pattern", () => {
  test.each([
    ["(a", "Invalid pattern: Unmatched ( or \\("],
    ["*a", "Invalid pattern: Invalid preceding regular expression"],
    ["[a", "Invalid pattern: Unmatched [, [^, [:, [., or [="],
    ["[z-a]", "Invalid pattern: Invalid range end"],
    ["a\\", "Invalid pattern: Trailing backslash"],
    ["a{2,1}", "Invalid pattern: Invalid content of \\{\\}"],
  ])("that is invalid, %j, is an error even without files to search", async (pattern, error) => {
    const cwd = await tempDir();
    expect(await call(bin, { pattern }, { cwd })).toEqual({
      exitCode: 0,
      result: { error, error_code: "INVALID_PATTERN" },
    });
  });

  test.each(["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*x", "((a*)*)*b"])(
    "that explodes elsewhere, %j, does not here",
    async (pattern) => {
      const cwd = await tempDir({ a: `${"a".repeat(100_000)}!\n` });
      const started = performance.now();
      await call(bin, { pattern }, { cwd });
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );
});

describe("under a host", () => {
  test.each([0, 40 * 1_048_576])("shows a binary file of %d more bytes as one match", async (more) => {
    const cwd = await tempDir({ a: "one\n", b: `\0one\none\n`, c: "one\n" });
    if (more > 0) truncateSync(join(cwd, "b"), more);
    const env = { IKIGAI_MAX_OUTPUT_BYTES: "65536" };
    const { result } = await call(bin, { pattern: "one" }, { cwd, env });
    // A sparse file comes last.
    const lines = ["a:1: one", "b: binary file matches", "c:1: one"];
    expect(result).toEqual({ output: (more > 0 ? [0, 2, 1] : [0, 1, 2]).map((at) => lines[at]).join("\n"), count: 3 });
    const json = await call(bin, { pattern: "one", path: "b", format: "json" }, { cwd, env });
    expect(json.result).toEqual({ matches: [{ file: "b", binary: true }], count: 1 });
    if (more === 0) expect((await call(bin, { pattern: "one" }, { cwd })).result).toMatchObject({ count: 4 });
  });

  test("searches a huge sparse file last", async () => {
    const cwd = await tempDir({ a: "needle\n", "m.bin": "needle\n", z: "needle\n" });
    truncateSync(join(cwd, "m.bin"), 100 * 2 ** 30);
    const env = { IKIGAI_MAX_OUTPUT_BYTES: "65536", IKIGAI_TIMEOUT_MS: "4000" };
    const { result } = await call(bin, { pattern: "needle" }, { cwd, env });
    expect(result).toMatchObject({ output: expect.stringMatching(/^a:1: needle\nz:1: needle(\nm.bin|$)/) });
  });

  test("cuts the answer after a line, and keeps the count exact", async () => {
    const cwd = await tempDir({ a: "some line\n".repeat(10_000) });
    const env = { IKIGAI_MAX_OUTPUT_BYTES: "1000" };
    const { stdout, result } = await call(bin, { pattern: "line" }, { cwd, env });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(1_000);
    expect(result).toMatchObject({
      count: 10_000,
      truncated: true,
      output: expect.stringMatching(/^(a:\d+: some line\n)+$/),
    });
  });

  test("cuts a list after an item", async () => {
    const cwd = await tempDir({ a: "some line\n".repeat(10_000) });
    const env = { IKIGAI_MAX_OUTPUT_BYTES: "1000" };
    const { stdout, result } = await call(bin, { pattern: "line", format: "json" }, { cwd, env });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(1_000);
    expect(result).toMatchObject({ count: 10_000, truncated: true });
    expect((result as { matches: unknown[] }).matches.at(-1)).toEqual({
      file: "a",
      line: expect.any(Number),
      content: "some line",
    });
  });

  test("cuts inside a line that is longer than the answer may be", async () => {
    const cwd = await tempDir({ a: `${"é".repeat(10_000)}\n` });
    const { result } = await call(bin, { pattern: "é" }, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "1000" } });
    expect(result).toMatchObject({ count: 1, truncated: true, output: expect.stringMatching(/^a:1: é+$/) });
  });
});

describe("a large job", () => {
  // The default of ten seconds is short for a busy machine.
  const timeoutMs = 100_000;

  test("gives the same answer as a small one, in the same order", async () => {
    const names = Array.from({ length: 2_500 }, (_, index) => `f${String(index).padStart(5, "0")}.txt`);
    const cwd = await tempDir(Object.fromEntries(names.map((name) => [name, `one\n${name}\n`])));
    const output = names.map((name) => `${name}:2: ${name}`).join("\n");
    expect((await call(bin, { pattern: "^f" }, { cwd })).result).toEqual({ output, count: 2_500 });
  });

  test("numbers the lines of a file that is read in parts", async () => {
    const lines = Array.from(
      { length: 200_000 },
      (_, n) => `${"x".repeat((n * 7) % 60)}${n % 9_973 === 0 ? "needle" : ""}`,
    );
    const cwd = await tempDir({ a: lines.join("\n"), b: `${"y".repeat(300_000)}\nneedle\n` });
    const found = lines.flatMap((line, n) => (line.endsWith("needle") ? [`a:${n + 1}: ${line}`] : []));
    const { result } = await call(bin, { pattern: "needle" }, { cwd });
    expect(result).toEqual({ output: [...found, "b:2: needle"].join("\n"), count: found.length + 1 });
  });

  test("numbers the lines of a file that is shared between threads, wherever it is cut", async () => {
    const part = 32 * 1_048_576;
    const bytes = Buffer.alloc(3 * part + 5_000_000, `${"x".repeat(62)}\n`);
    const put = (text: string, at: number) => bytes.write(text, at, "latin1");
    // A line that starts at a part boundary, one that starts a byte later, and one that spans far into the part.
    put("\nneedle first\nneedle second\n", part - 1);
    put("needle third\nneedle fourth\n", 2 * part - "needle third".length);
    put(`\nneedle fifth ${"-".repeat(500_000)} end\nneedle sixth\n`, 3 * part - 250_000);
    put("\nneedle seventh", bytes.length - 15);
    const cwd = await tempDir({ small: "needle zeroth\n" });
    writeFileSync(join(cwd, "log"), bytes);
    const lines = bytes.toString("latin1").split("\n");
    const found = lines.flatMap((line, n) => (line.includes("needle") ? [`log:${n + 1}: ${line}`] : []));
    expect(found).toHaveLength(7);
    const output = [...found, "small:1: needle zeroth"].join("\n");
    expect((await call(bin, { pattern: "needle" }, { cwd, timeoutMs })).result).toEqual({ output, count: 8 });
    // Even if not all are shown, all are counted.
    const env = { IKIGAI_MAX_OUTPUT_BYTES: "4000" };
    const few = await call(bin, { pattern: "x$|needle" }, { cwd, timeoutMs, env });
    expect(few.result).toMatchObject({
      count: lines.filter((line) => /x$|needle/.test(line)).length + 1,
      truncated: true,
      output: expect.stringMatching(/^log:1: x+\nlog:2: x+\n/),
    });
  });

  test("names files whose names are not UTF-8 in both threads", async () => {
    const names = Array.from({ length: 4_100 }, (_, index) => `f${String(index).padStart(5, "0")}`);
    const cwd = await tempDir(Object.fromEntries(names.map((name) => [name, "one\n"])));
    for (const number of [7, 4_050]) {
      renameSync(
        join(cwd, `f${String(number).padStart(5, "0")}`),
        Buffer.concat([Buffer.from(`${cwd}/g${number}`), Buffer.of(0xff)]),
      );
    }
    expect((await call(bin, { pattern: "one" }, { cwd, timeoutMs })).result).toMatchObject({ count: 4_100 });
  });

  test.skipIf(process.platform !== "linux")("of gigabytes in one line takes less than 100 MB", async () => {
    const cwd = await tempDir({ big: "start\n" });
    truncateSync(join(cwd, "big"), 2 * 1024 ** 3);
    expect(await peakMemoryBytes({ pattern: "needle" }, cwd)).toBeLessThan(100 * 1_048_576);
  });
});

/** The tool's peak memory, as counted by the system. */
async function peakMemoryBytes(input: object, cwd: string): Promise<number> {
  const child = spawn(bin, { cwd, stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end(JSON.stringify(input));
  let peak = 0;
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
  }, 10);
  await once(child, "exit");
  clearInterval(timer);
  expect(peak).toBeGreaterThan(0);
  return peak;
}

describe("a tree", () => {
  test("with cyclic links ends, and names may contain anything", async () => {
    const odd = ["new\nline", "esc\u001b]0;x\u0007", "-rf", "two  spaces", '"quote"'];
    const cwd = await tempDir({
      ...Object.fromEntries(odd.map((name) => [`deep/${name}`, "found\n"])),
      "deep/circle": { link: "." },
      "deep/up": { link: ".." },
      "deep/dangling": { link: "nowhere" },
    });
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/deep/byte`), Buffer.from([0xff])]), "found\n");
    const { result } = await call(bin, { pattern: "found", glob: "**/*", format: "json" }, { cwd });
    const matches = result?.matches as { file: string; line: number; content: string }[];
    expect(matches.map(({ file }) => file).sort()).toEqual([...odd, "byte\ufffd"].map((name) => `deep/${name}`).sort());
    expect(new Set(matches.map(({ line, content }) => `${line} ${content}`))).toEqual(new Set(["1 found"]));
    expect(result?.count).toBe(6);
  });
});
