// @module-tag tables
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noMatchHint, otherEngineHint, refusalHint } from "../src/pattern-readings.ts";

const bin = ownExecutable(import.meta.url);

describe("what was not searched", () => {
  const tree = {
    "a.ts": "one\n",
    "b.ts": "two\n",
    "sub/c.ts": "three\n",
    "sub/deep/d.md": "",
    "lib/e.ts": "",
    ".git/f": "",
  };

  test.each([
    [{}, "searched 2 files in '.'; 2 directories below were not searched: glob '**/*' does"],
    [{ glob: "" }, "searched 2 files in '.'; 2 directories below were not searched: glob '**/*' does"],
    [{ path: "sub" }, "searched 1 file in 'sub'; 1 directory below was not searched: glob '**/*' does"],
    [{ path: "sub/deep" }, undefined],
    [{ path: "a.ts" }, undefined],
    [{ glob: "*.ts" }, "searched 2 files in '.'; 2 directories below were not searched: glob '**/*.ts' does"],
    [{ glob: "*.{c,h}" }, "searched 0 files in '.'; 2 directories below were not searched: glob '**/*.{c,h}' does"],
    [{ glob: "**/*" }, undefined],
    [{ glob: "*/*.ts" }, undefined],
    [{ path: "nowhere" }, "'nowhere' does not exist."],
    [{ path: "Sub" }, "'Sub' does not exist. The nearest name there is 'sub'."],
    [{ path: "nowhere", glob: "**/*" }, "'nowhere' does not exist."],
    [{ path: "l*b", glob: "*.ts" }, undefined],
    [{ path: "sub/ｃ.ts" }, "This is 'c.ts': there is no 'ｃ.ts'."],
  ])("%j: %s", async (where, hint) => {
    const { result } = await call(bin, { pattern: "nothing", ...where }, { cwd: await tempDir(tree) });
    expect([result?.count, result?.hint]).toEqual([0, hint]);
  });

  test("~/ and file:/// are read as they are meant", async () => {
    const cwd = await tempDir(tree);
    for (const path of ["~/sub", "~", `file://${cwd}/sub/c.ts`]) {
      const { result } = await call(bin, { pattern: "three", path, glob: "**/*" }, { cwd: "/", env: { HOME: cwd } });
      expect(result).toEqual({ output: `${cwd}/sub/c.ts:1: three`, count: 1 });
    }
  });

  test("mentions unsearched directories with a glob only if nothing was found, without one always", async () => {
    const cwd = await tempDir(tree);
    expect((await call(bin, { pattern: "one", glob: "*.ts" }, { cwd })).result).toEqual({
      output: "a.ts:1: one",
      count: 1,
    });
    expect((await call(bin, { pattern: "one" }, { cwd })).result).toMatchObject({ count: 1, hint: /not searched/ });
  });

  test("names hidden files that a glob without ** misses, and searches them with one", async () => {
    const cwd = await tempDir({
      ".github/workflows/ci.yml": "needle\n",
      "sub/.storybook/main.ts": "needle\n",
      ".git/x.yml": "needle\n",
    });
    const hint = "hidden files match, but their dot must be written: .github/workflows/ci.yml.";
    expect((await call(bin, { pattern: "needle", glob: "*/*/*.yml" }, { cwd })).result).toEqual({
      output: "",
      count: 0,
      hint,
    });
    expect((await call(bin, { pattern: "needle", glob: "**/*" }, { cwd })).result).toEqual({
      output: ".github/workflows/ci.yml:1: needle\nsub/.storybook/main.ts:1: needle",
      count: 2,
    });
  });

  test("leaves space for the matches in a small answer", async () => {
    const cwd = await tempDir({ ...tree, "long.ts": "one\n".repeat(1_000) });
    for (const maxBytes of [120, 200, 400, 2_000]) {
      const env = { IKIGAI_MAX_OUTPUT_BYTES: String(maxBytes) };
      const { stdout, result } = await call(bin, { pattern: "one" }, { cwd, env });
      expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
      expect(result).toMatchObject({ count: 1_001, truncated: true, output: expect.stringContaining("a.ts:1: one") });
      expect("hint" in (result ?? {})).toBe(maxBytes >= 400);
    }
  });
});

/** Written for this test, modelled on models' patterns. */
test.each([
  ["(?i)todo", "'todo' with ignore_case."],
  ["(?:get|set)Name", "'(get|set)Name'."],
  ["foo(?=bar)baz", "(lookaround)"],
  ["<div.*?>", "'<div.*>'."],
  ["^\\tfunc", "'^\tfunc'."],
  ["[\\d.]+", "'[.0-9]+'."],
  ["[\\[\\]]", "'[][]'."],
  ["a\\nb", "Lines are searched one by one"],
])("by hand, %s is POSIX's, and the hint says what other engines would find", async (pattern, hint) => {
  const { result } = await call(bin, { pattern }, { cwd: await tempDir({ a: "x\n" }) });
  expect(result?.hint).toContain(hint);
});

test.each([
  ["func main() {", "Unmatched \\{", "Write '\\{' for a brace."],
  ["type T struct{", "Unmatched \\{", "Write '\\{' for a brace."],
  ["getName(", "Unmatched ( or \\(", "Write '\\(' for a parenthesis."],
  ["items[a", "Unmatched [, [^, [:, [., or [=", "Write '\\[' for a bracket."],
  [
    "*.go",
    "Invalid preceding regular expression",
    "'*.go' looks like a glob: pass it as glob, and the text to find as pattern.",
  ],
])("rejects %s with glibc's message, and the hint says what to write", async (pattern, reason, hint) => {
  const { result } = await call(bin, { pattern }, { cwd: await tempDir() });
  expect(result).toEqual({ error: `Invalid pattern: ${reason}`, error_code: "INVALID_PATTERN", hint });
});

test("\\| gets a hint if nothing matches", async () => {
  const cwd = await tempDir({ a: "x|y\n" });
  const hint = "'\\|' is the character '|' here: write '|' between alternatives.";
  expect((await call(bin, { pattern: "x\\|z" }, { cwd })).result).toEqual({ output: "", count: 0, hint });
  expect((await call(bin, { pattern: "x\\|y" }, { cwd })).result).toEqual({ output: "a:1: x|y", count: 1 });
  expect(noMatchHint("a\\\\|b")).toBeUndefined();
});

test.each([
  "TODO|FIXME",
  "func \\(p \\*Provider\\) \\w+",
  '^[[:space:]]*#include ["<]',
  "[0-9]{1,3}(\\.[0-9]{1,3}){3}",
  "a+b*c?d{2}",
  "\\bfoo\\b",
  "\\d+\\s\\S\\W",
  "[]x]",
  "a\\?b\\+?",
  "x\\(\\?:",
  "[(?:]",
  "\\\\t",
])("%s has its literal meaning and gets no hint", (pattern) => {
  expect(otherEngineHint({ pattern, ignoreCase: false })).toBeUndefined();
});

test("advises on any text, and fast", () => {
  const part = fc.constantFrom(
    "(?",
    "(",
    ")",
    "[",
    "]",
    "\\",
    "{",
    "}",
    "?",
    "+",
    "*",
    "1",
    ",",
    "d",
    "t",
    "|",
    "é",
    "[:",
    ":]",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const pattern = parts.join("");
      otherEngineHint({ pattern, ignoreCase: false });
      refusalHint(pattern);
    }),
    { numRuns: Number(process.env.HINT_RUNS ?? 500) },
  );
  const started = process.cpuUsage().user;
  for (const text of ["(?", "[", "[:a", "a(", "\\", "{1,", "[\\d", "[a]"]) {
    const pattern = text.repeat(200_000);
    otherEngineHint({ pattern, ignoreCase: false });
    refusalHint(pattern);
    noMatchHint(pattern);
  }
  expect(process.cpuUsage().user - started).toBeLessThan(8_000_000);
});

test("accepts names of other agents for its parameters", async () => {
  const cwd = await tempDir({ "src/a.ts": "Todo\n" });
  const found = { output: "src/a.ts:1: Todo", count: 1 };
  for (const input of [
    { pattern: "todo", "-i": true, include: "**/*.ts" },
    { regex: "todo", case_insensitive: true, include_pattern: "src/*" },
    { query: "Todo", dir_path: "src" },
    { pattern: "Todo", file_path: "src/a.ts" },
  ])
    expect((await call(bin, input, { cwd })).result).toEqual(found);
  const other = { pattern: "Todo", path: "src", output_mode: "content", "-n": true, head_limit: 5, sort: "path" };
  expect((await call(bin, other, { cwd })).result).toEqual({ ...found, ignored: ["sort"] });
});
