// @module-tag tables
import { execFileSync } from "node:child_process";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

/** Calls the tool as a conversation does. */
async function ask(files: Parameters<typeof tempDir>[0] | string, input: object, bytes = 15_000) {
  const cwd = typeof files === "string" ? files : await tempDir(files);
  const { result, stdout } = await call(bin, input, { cwd, env: { IKIGAI_ANSWER_BYTES: `${bytes}`, HOME: cwd } });
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(bytes);
  return result as Record<string, unknown> & { output: string; hint?: string };
}

describe("below", () => {
  const files = {
    "a.ts": "one\n",
    ".env": "one\n",
    "src/b.ts": "one\none\n",
    ".github/ci.yml": "one\n",
    ".git/c": "one\n",
  };
  const below = ".env:1: one\n.github/ci.yml:1: one\nsrc/b.ts:1: one\nsrc/b.ts:2: one";

  test("without a glob, the directories are searched, too, and hidden files", async () => {
    expect(await ask(files, { pattern: "one" })).toEqual({
      output: "a.ts:1: one",
      count: 1,
      below: { count: 4, files: 3, output: below },
    });
    expect(await ask(files, { pattern: "one", path: "src" })).toEqual({
      output: "src/b.ts:1: one\nsrc/b.ts:2: one",
      count: 2,
    });
    expect(await ask(files, { pattern: "one", path: "./" })).toMatchObject({
      below: { count: 4, output: below.replaceAll(/^/gm, "./") },
    });
    expect(await ask(files, { pattern: "one", format: "json" })).toMatchObject({
      matches: [{ file: "a.ts" }],
      below: { matches: [{ file: ".env" }, { file: ".github/ci.yml" }, { file: "src/b.ts" }, { file: "src/b.ts" }] },
    });
  });

  test("a glob for names is searched below, too", async () => {
    const found = { output: "", count: 0, below: { count: 1, files: 1, output: ".github/ci.yml:1: one" } };
    expect(await ask(files, { pattern: "one", glob: "*.yml" })).toEqual(found);
    expect(await ask(files, { pattern: "one", glob: "src/*" })).not.toHaveProperty("below");
    expect(await ask(files, { pattern: "one", path: "a.ts" })).toEqual({ output: "a.ts:1: one", count: 1 });
  });
});

describe("what git ignores", () => {
  const files = {
    ".gitignore": "dist/\n*.log\n",
    "src/a.js": "one\n",
    "src/a.log": "one\n",
    "dist/b.js": "one\n",
    "dist/kept.js": "one\n",
    "src/dist/c.js": "one\n",
    "node_modules/x/d.js": "one\n",
  };
  const repository = async () => {
    const cwd = await tempDir(files);
    for (const args of [
      ["init", "-q"],
      ["add", "-f", "dist/kept.js"],
    ])
      execFileSync("git", args, { cwd, stdio: "pipe" });
    return cwd;
  };

  test.each([
    [{ glob: "**/*" }, ["dist/kept.js", "src/a.js"]],
    [{ glob: "**/*.js" }, ["dist/kept.js", "src/a.js"]],
    [{ glob: "dist/**" }, ["dist/b.js", "dist/kept.js"]],
    [{ path: "dist" }, ["dist/b.js", "dist/kept.js"]],
    [{ path: "dist", glob: "**/*" }, ["dist/b.js", "dist/kept.js"]],
    [{ glob: "**/dist/*.js" }, ["dist/b.js", "dist/kept.js", "src/dist/c.js"]],
    [{ glob: "node_modules/x/**" }, ["node_modules/x/d.js"]],
    [{ path: "node_modules", glob: "**/*.js" }, ["node_modules/x/d.js"]],
    [{ glob: "**/a.log" }, ["src/a.log"]],
    [{ glob: "*/*" }, ["dist/b.js", "dist/kept.js", "src/a.js", "src/a.log"]],
  ])("is left out below unless it is named: %j", async (where, paths) => {
    const { output } = await ask(await repository(), { pattern: "one", ...where });
    expect(output.split("\n").map((line) => line.split(":")[0])).toEqual(paths);
  });

  test("is reported", async () => {
    const cwd = await repository();
    const { hint } = await ask(cwd, { pattern: "one", glob: "**/*" });
    expect(hint).toBe("skipped 2 ignored directories (node_modules, dist): path 'src/dist' searches one.");
    expect(await ask(cwd, { pattern: "one" })).toMatchObject({ below: { files: 2, count: 2 }, hint });
  });

  test("by hand it is searched", async () => {
    const { result } = await call(bin, { pattern: "one", glob: "**/*" }, { cwd: await repository() });
    expect(result).toMatchObject({ count: 6 });
    expect(result).not.toHaveProperty("hint");
  });
});

describe("long lines", () => {
  test.each([
    [`${"x".repeat(3_000)}needle${"y".repeat(3_000)}`, /^a:1: …x{247}needley{247}…$/],
    [`needle${"y".repeat(3_000)}`, /^a:1: needley{494}…$/],
    [`${"x".repeat(3_000)}needle`, /^a:1: …x{494}needle$/],
    [`${"é".repeat(3_000)}needle${"🌍".repeat(3_000)}`, /^a:1: …é{240,260}needle(?:🌍){110,130}…$/u],
    [`${"x".repeat(3_000)}n${"e".repeat(700)}dle`, /^a:1: …x{50}ne+…$/],
  ])("are cut around the match", async (line, shown) => {
    const { output, clipped, count } = await ask({ a: `${line}\n` }, { pattern: "ne+dle" });
    expect(output).toMatch(shown);
    expect(Array.from(output.slice(5).replaceAll("…", "")).length).toBeLessThanOrEqual(500);
    expect({ clipped, count }).toEqual({ clipped: 1, count: 1 });
  });

  test("stay whole up to 500 characters, and by hand", async () => {
    const line = `needle${"x".repeat(494)}`;
    expect(await ask({ a: line }, { pattern: "needle" })).toEqual({ output: `a:1: ${line}`, count: 1 });
    const cwd = await tempDir({ a: line.repeat(10) });
    expect((await call(bin, { pattern: "needle" }, { cwd })).result?.output).toBe(`a:1: ${line.repeat(10)}`);
  });

  test.each(["^x.*(n|m)eedle$", "(e)\\1dle", "needle\\b", "\\bneedle"])("are cut where %s matches", async (pattern) => {
    const line = `x${"- ".repeat(2_000)}needle`;
    expect((await ask({ a: line }, { pattern })).output).toMatch(pattern.startsWith("^") ? /^a:1: x-/ : /needle$/);
  });
});

describe("shares", () => {
  const big = "needle in a line of some length\n".repeat(3_000);

  test("no file hides another, and what is missing is reported", async () => {
    const found = await ask(
      { "src/big.js": big, "src/a.js": "needle\n", "lib/b.js": "needle\nneedle\n" },
      { pattern: "needle", glob: "**/*" },
    );
    expect(found).toMatchObject({ count: 3_003, truncated: true });
    for (const line of ["src/a.js:1: needle", "lib/b.js:2: needle", "src/big.js:1: needle in"])
      expect(found.output).toContain(line);
    const shown = found.output.split("\n").length;
    expect(shown).toBeGreaterThan(150);
    expect(found.more).toEqual({ "src/big.js": 3_003 - shown });
    expect(found.hint).toContain(`not shown: ${3_003 - shown} matching lines in 1 file; narrow path`);
  });

  test("of many files, each that fits shows one line, and the directories with the most are named", async () => {
    const names = Array.from({ length: 2_500 }, (_, n) => `${n % 3 === 0 ? "lib" : "src/deep"}/${n}.txt`);
    const found = await ask(Object.fromEntries(names.map((name) => [name, "needle\nneedle\n"])), {
      pattern: "needle",
      glob: "**/*",
    });
    const files = found.output.split("\n").map((line) => line.split(":")[0]);
    expect(new Set(files).size).toBe(files.length);
    expect(found.count).toBe(5_000);
    expect(Object.keys(found.more ?? {})).toHaveLength(20);
    expect(found.hint).toMatch(
      /^not shown: \d+ matching lines in 2500 files, most in src\/deep \(\d+\), lib \(\d+\); narrow/,
    );
  });

  test("the level does not hide what is below", async () => {
    const found = await ask({ "a.txt": big, "sub/b.txt": big, "sub/c.txt": "needle\n" }, { pattern: "needle" });
    expect(found).toMatchObject({
      count: 3_000,
      below: { count: 3_001, files: 2, output: expect.stringContaining("sub/c.txt:1: needle") },
    });
    expect(found.output.length).toBeGreaterThan(6_000);
  });
});

describe("format and context", () => {
  const files = { "a.txt": "1\n2\nneedle\n4\n5\n6\n7\nneedle\nneedle\n", "b.txt": "needle\n2\n" };
  const around =
    "a.txt-2- 2\na.txt:3: needle\na.txt-4- 4\n--\na.txt-7- 7\na.txt:8: needle\na.txt:9: needle\n--\nb.txt:1: needle\nb.txt-2- 2";

  test.each([
    [{ context: 1 }, around],
    [{ "-C": "1" }, around],
    [{ "-A": 1, path: "b.txt" }, "b.txt:1: needle\nb.txt-2- 2"],
    [{ "-B": 1, path: "b.txt" }, "b.txt:1: needle"],
    [{ format: "files" }, "a.txt: 3\nb.txt: 1"],
    [{ output_mode: "files_with_matches" }, "a.txt: 3\nb.txt: 1"],
    [{ output_mode: "content", head_limit: 2 }, "a.txt:3: needle\nb.txt:1: needle"],
    [{ type: "txt", "-n": true }, "a.txt:3: needle\na.txt:8: needle\na.txt:9: needle\nb.txt:1: needle"],
  ])("%j", async (input, output) => {
    const found = await ask(files, { pattern: "needle", ...input });
    expect(found.output).toBe(output);
    expect(found).not.toHaveProperty("ignored");
    if ("head_limit" in input) return;
    // By hand it is the same.
    expect((await call(bin, { pattern: "needle", ...input }, { cwd: await tempDir(files) })).result?.output).toBe(
      output,
    );
  });

  test("multiline is refused, with what to do", async () => {
    expect(await ask(files, { pattern: "a", multiline: true })).toMatchObject({
      error_code: "INVALID_PARAMS",
      hint: expect.stringContaining("grep -Pzo"),
    });
  });
});
