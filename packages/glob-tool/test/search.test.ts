// @module-tag tables
import { symlinkSync, writeFileSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { answer, find, treeOf } from "./find.ts";

test("prints one path per line, sorted, and their number", async () => {
  const cwd = await treeOf("notes.txt", "file2.txt", "file1.txt", "file.c", "dir.txt/", ".hidden.txt");
  expect(await find(cwd, { pattern: "*.txt" })).toEqual(answer("dir.txt", "file1.txt", "file2.txt", "notes.txt"));
  expect(await find(cwd, { pattern: "*.c" })).toEqual(answer("file.c"));
  expect(await find(cwd, { pattern: ".*.txt" })).toEqual(answer(".hidden.txt"));
});

test("reports no match as success", async () => {
  const cwd = await treeOf("a");
  for (const input of [{ pattern: "b" }, { pattern: "" }, { pattern: "*", path: "a" }]) {
    expect(await find(cwd, input)).toEqual(answer());
  }
});

test("names the hidden files that a pattern without ** misses, if nothing was found", async () => {
  const cwd = await treeOf(".git/ci.yml", ".github/workflows/ci.yml", "src/a.ts");
  const hint = "hidden files match, but their dot must be written: .github/workflows/ci.yml.";
  expect(await find(cwd, { pattern: "*/*/ci.yml" })).toMatchObject({ result: { count: 0, hint } });
  expect(await find(cwd, { pattern: "**/ci.yml" })).toEqual(answer(".github/workflows/ci.yml"));
  expect(await find(cwd, { pattern: "**/cd.yml" })).toEqual(answer());
});

test("matches a pattern without wildcards if the path exists", async () => {
  const cwd = await treeOf("dir/file");
  expect(await find(cwd, { pattern: "dir/file" })).toEqual(answer("dir/file"));
  expect(await find(cwd, { pattern: `${cwd}/dir` })).toEqual(answer(`${cwd}/dir`));
});

test("spells paths as path and pattern do", async () => {
  const cwd = await treeOf("src/a.ts", "src/lib/b.ts");
  expect(await find(cwd, { pattern: "*.ts", path: "src" })).toEqual(answer("src/a.ts"));
  expect(await find(cwd, { pattern: "*.ts", path: "src/" })).toEqual(answer("src/a.ts"));
  expect(await find(cwd, { pattern: "*.ts", path: "./src/lib/.." })).toEqual(answer("./src/lib/../a.ts"));
  expect(await find(cwd, { pattern: "**/*.ts", path: `${cwd}/src` })).toEqual(
    answer(`${cwd}/src/a.ts`, `${cwd}/src/lib/b.ts`),
  );
  expect(await find(cwd, { pattern: "src", path: "" })).toEqual(answer("src"));
  expect(await find(cwd, { pattern: "src", path: null, format: null })).toEqual(answer("src"));
  expect(await find(cwd, { pattern: "*", path: "/" })).toMatchObject({ result: { output: /^\/[^/]/ } });
});

test("takes a directory with wildcards in its name literally", async () => {
  const cwd = await treeOf("app/[id]/page.tsx", "app/i/page.tsx");
  expect(await find(cwd, { pattern: "*", path: "app/[id]" })).toEqual(answer("app/[id]/page.tsx"));
  expect(await find(cwd, { pattern: "*", path: "app/?" })).toEqual(answer("app/i/page.tsx"));
});

test("** matches zero or more directories, but no symbolic links and no .git", async () => {
  const cwd = await treeOf("src/a.c", "src/x/y/b.c", "src/x.c", "src/.git/c.c");
  symlinkSync("..", `${cwd}/src/x/up`);
  expect(await find(cwd, { pattern: "src/**/*.c" })).toEqual(answer("src/a.c", "src/x.c", "src/x/y/b.c"));
  expect(await find(cwd, { pattern: "**/y/**/b.c" })).toEqual(answer("src/x/y/b.c"));
  expect(await find(cwd, { pattern: "src/**" })).toEqual(
    answer("src/", "src/a.c", "src/x", "src/x.c", "src/x/up", "src/x/y", "src/x/y/b.c"),
  );
});

test.each([
  ["[!a]", ["b", "é"]],
  ["[[:alpha:]]", ["a", "b", "é"]],
  ["?", ["a", "b", "é"]],
  ["a/", []],
  ["*/", ["dd/"]],
])("matches %s as glob(3) does", async (pattern, paths) => {
  expect(await find(await treeOf("a", "b", "é", "dd/"), { pattern })).toEqual(answer(...paths));
});

test("treats an escaped star as a literal", async () => {
  expect(await find(await treeOf("a", "*"), { pattern: "\\*" })).toEqual(answer("*"));
});

test.each([
  ["*.ts", undefined, "searched '.'; 2 directories below were not searched: pattern '**/*.ts' does"],
  ["b.ts", "src", "searched 'src'; 1 directory below was not searched: pattern '**/b.ts' does"],
  ["*.{ts,tsx}", ".", "searched '.'; 2 directories below were not searched: pattern '**/*.{ts,tsx}' does"],
  ["*.md", undefined, undefined],
  ["*/b.ts", undefined, undefined],
  ["*.ts", "src/deep", undefined],
  ["x.ts", "src/deep", undefined],
  ["*.ts", "nowhere", "'nowhere' does not exist."],
  ["*.ts", "Src", "'Src' does not exist. The nearest name there is 'src'."],
  ["**/*.ts", "src/nowhere", "'src/nowhere' does not exist."],
])("%s in %s without a match suggests a pattern for the directories below: %s", async (pattern, path, hint) => {
  const cwd = await treeOf("README.md", "src/deep/a.ts", "lib/", ".git/");
  symlinkSync("src", `${cwd}/link`);
  const { result } = await find(cwd, { pattern, path });
  expect(result?.hint).toBe(hint);
});

test("expands braces, up to a thousand alternatives", async () => {
  const cwd = await treeOf("src/a.ts", "src/b.tsx", "lib/c.ts", "lib/d.md");
  expect(await find(cwd, { pattern: "{src,lib}/*.{ts,tsx}" })).toEqual(answer("lib/c.ts", "src/a.ts", "src/b.tsx"));
  expect(await find(cwd, { pattern: "{s*,x}/{a,b}.ts{,x}" })).toEqual(answer("src/a.ts", "src/b.tsx"));
  const hint = "The braces expand to more than 1,000 patterns, or to very long ones. Make several searches.";
  expect((await find(cwd, { pattern: "{a,b}".repeat(10) })).result).toEqual({
    error: "Invalid glob pattern",
    error_code: "INVALID_PATTERN",
    hint,
  });
});

test("names unknown arguments, and accepts names of other agents", async () => {
  const cwd = await treeOf("src/a.ts");
  const { result } = await find(cwd, { glob_pattern: "*.ts", dir_path: "src", head_limit: 3 });
  expect(result).toEqual({ output: "src/a.ts", count: 1, ignored: ["head_limit"] });
});

test("lists paths as an array when asked for JSON", async () => {
  const cwd = await tempDir({ "one\ntwo": "", 'a"b': "" });
  expect(await find(cwd, { pattern: "*", format: "json" })).toEqual({
    exitCode: 0,
    result: { files: ['a"b', "one\ntwo"], count: 2 },
  });
  expect((await find(cwd, { pattern: "x*", format: "json" })).result).toEqual({ files: [], count: 0 });
});

test("shows bytes that are not UTF-8 as U+FFFD", async () => {
  const cwd = await treeOf();
  writeFileSync(Buffer.concat([Buffer.from(`${cwd}/a`), Buffer.from([0xff, 0x1b])]), "");
  expect(await find(cwd, { pattern: "a*" })).toEqual(answer("a\ufffd\u001b"));
});

test.each([
  [{ pattern: "a\0b" }, "It contains a NUL character, which file names cannot."],
  [{ pattern: "a", path: "\0" }, "It contains a NUL character, which file names cannot."],
  [{ pattern: "\ud800" }, "It contains half of a surrogate pair, which is not a character."],
])("rejects a pattern that cannot match any path: %j", async (input, hint) => {
  expect(await find(await treeOf(), input)).toEqual({
    exitCode: 0,
    result: { error: "Invalid glob pattern", error_code: "INVALID_PATTERN", hint },
  });
});

test("rejects an unknown format", async () => {
  expect(await find(await treeOf(), { pattern: "*", format: "xml" })).toMatchObject({
    exitCode: 0,
    result: { error: 'Expected "format" to be "text" or "json", got "xml" (string).', error_code: "INVALID_PARAMS" },
  });
});

describe("in a conversation", () => {
  const env = { IKIGAI_ANSWER_BYTES: "15000" };

  test("leaves out what git ignores unless it is named, and says so", async () => {
    const cwd = await tempDir({
      ".gitignore": "dist\n",
      ".git/HEAD": "ref: refs/heads/main\n",
      "dist/a.js": "",
      "src/b.js": "",
      ".x/c.js": "",
    });
    const hint = "skipped 1 ignored directory (dist): path 'dist' searches one.";
    expect(await find(cwd, { pattern: "**/*.js" }, { env })).toEqual({
      exitCode: 0,
      result: { output: ".x/c.js\nsrc/b.js", count: 2, hint },
    });
    for (const input of [{ pattern: "dist/**/*.js" }, { pattern: "*.js", path: "dist" }, { pattern: "*/a.js" }])
      expect(await find(cwd, input, { env })).toEqual(answer("dist/a.js"));
    expect(await find(cwd, { pattern: "**/*.js" })).toEqual(answer(".x/c.js", "dist/a.js", "src/b.js"));
  });

  test.each([
    ["src/readme.md", "only the case differs: src/README.md."],
    ["SRC/**/main.ts", "not there, but elsewhere: src/lib/main.ts."],
    ["lib/main.ts", "not there, but elsewhere: src/lib/main.ts."],
    [
      "**/out.js",
      "in what git ignores: node_modules/x/out.js. skipped 1 ignored directory (node_modules): path 'node_modules' searches one.",
    ],
    ["nothing.ts", "searched '.'; 2 directories below were not searched: pattern '**/nothing.ts' does"],
  ])("if nothing matches %s, says what is like it", async (pattern, hint) => {
    const cwd = await treeOf("src/README.md", "src/lib/main.ts", "node_modules/x/out.js");
    expect(await find(cwd, { pattern }, { env })).toMatchObject({ result: { count: 0, hint } });
  });

  test("shows some paths of each directory if there are too many", async () => {
    const names = Array.from(
      { length: 2_000 },
      (_, n) => `${n % 20 === 0 ? "few" : "many"}/a-file-with-a-long-name-${n}.txt`,
    );
    const { result, stdout = "" } = await find(await treeOf(...names), { pattern: "**/*.txt" }, { env });
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(15_000);
    const shown = String(result?.output).split("\n");
    expect(shown.filter((path) => path.startsWith("few/"))).toHaveLength(100);
    expect(shown).toEqual(shown.toSorted());
    expect(result).toMatchObject({ count: 2_000, truncated: true });
    expect(result?.hint).toBe(
      `not shown: ${2_000 - shown.length} of 2000 paths, most in many (${2_000 - shown.length}); narrow path or pattern.`,
    );
  });
});

test("searches and names the only directory whose name is spelled otherwise", async () => {
  const cwd = await treeOf("cafe\u0301/a.ts");
  const hint = "This is 'cafe\u0301' (in another Unicode normalization form): there is no 'caf\u00e9'.";
  const found = { output: "cafe\u0301/a.ts", count: 1, hint };
  expect(await find(cwd, { pattern: "*.ts", path: "caf\u00e9" })).toMatchObject({ result: found });
});
