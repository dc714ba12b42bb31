import { expect, test } from "vitest";
import { find, makeTree } from "./tree.ts";

const tree = [
  "alias.o",
  "builtins/history.o",
  "lib/.dot/x.o",
  "lib/glob/glob.o",
  "lib/glob/smatch.o",
  "lib/sh/.hidden.o",
  "lib/sh/casemod.o",
  "link -> lib",
  "loop/self -> ..",
];
const inGlob = ["lib/glob/glob.o", "lib/glob/smatch.o"];
const objects = ["alias.o", "builtins/history.o", "lib/.dot/x.o", ...inGlob, "lib/sh/.hidden.o", "lib/sh/casemod.o"];
const inLib = [".dot", ".dot/x.o", "glob", "glob/glob.o", "glob/smatch.o", "sh", "sh/.hidden.o", "sh/casemod.o"];
const everything = [
  ...["alias.o", "builtins", "builtins/history.o", "lib"],
  ...inLib.map((path) => `lib/${path}`),
  ...["link", "loop", "loop/self"],
];

test.each([
  ["**/*.o", objects],
  ["./**/*.o", objects.map((path) => `./${path}`)],
  ["**/**/*.o", objects],
  ["lib/**/*.o", objects.slice(2)],
  ["lib/**/glob/*.o", inGlob],
  ["**/glob/**/*.o", inGlob],
  ["**/lib", ["lib"]],
  ["**", everything],
  ["**/*", everything],
  ["**/**", everything],
])("%s matches any number of directories, including none", (pattern, expected) => {
  expect(find(makeTree(...tree), pattern)).toEqual(expected);
});

test.each([
  ["**/", ["builtins/", "lib/", "lib/.dot/", "lib/glob/", "lib/sh/", "link/", "loop/", "loop/self/"]],
  ["**/*/", ["builtins/", "lib/", "lib/.dot/", "lib/glob/", "lib/sh/", "link/", "loop/", "loop/self/"]],
  ["lib/**/", ["lib/", "lib/.dot/", "lib/glob/", "lib/sh/"]],
])("%s finds directories", (pattern, expected) => {
  expect(find(makeTree(...tree), pattern)).toEqual(expected);
});

test.each([
  ["lib/**", ["lib/", ...inLib.map((path) => `lib/${path}`)]],
  ["lib//**", ["lib//", ...inLib.map((path) => `lib//${path}`)]],
  ["l*b/**", ["lib", ...inLib.map((path) => `lib/${path}`)]],
  ["alias.o/**", []],
  ["nowhere/**", []],
])("%s finds the start and everything below", (pattern, expected) => {
  expect(find(makeTree(...tree), pattern)).toEqual(expected);
});

test("does not enter symbolic links, unless the pattern does explicitly", () => {
  const cwd = makeTree(...tree);
  expect(find(cwd, "loop/**/*.o")).toEqual([]);
  expect(find(cwd, "link/**/casemod.o")).toEqual(["link/sh/casemod.o"]);
  expect(find(cwd, "**/self/*.o")).toEqual(["loop/self/alias.o"]);
  expect(find(cwd, "**/.dot/*")).toEqual(["lib/.dot/x.o"]);
  expect(find(cwd, "lib/.dot/**")).toEqual(["lib/.dot/", "lib/.dot/x.o"]);
});

test("matches hidden files, but not `.git` unless it is named", () => {
  const cwd = makeTree(".git/config", ".github/ci.yml", "a/.git", "a/.env", ".gitignore", "b.yml");
  const all = [".github", ".github/ci.yml", ".gitignore", "a", "a/.env", "b.yml"];
  for (const pattern of ["**", "**/*"]) expect(find(cwd, pattern)).toEqual(all);
  expect(find(cwd, "**/*.yml")).toEqual([".github/ci.yml", "b.yml"]);
  expect(find(cwd, "**/{.g*,?env}")).toEqual([".github", ".gitignore", "a/.env"]);
  expect(find(cwd, "**/.git/*")).toEqual([".git/config"]);
  expect(find(cwd, "*/*")).toEqual([]);
  expect(find(cwd, "*/*", { hidden: true })).toEqual([".github/ci.yml", "a/.env"]);
});

test("leaves out what is ignored, with everything below, unless the pattern names it", () => {
  const cwd = makeTree("a.c", "out/b.c", "out/x/c.c", "src/out/d.c", "src/e.c", "src/e.o", "sub/f.c");
  const named = new Set(["out", "e.o"]);
  const ignores = { ignores: (name: string) => named.has(name), rulesOut: () => false, below: () => ignores };
  const skipped: string[] = [];
  const search = (pattern: string) =>
    find(cwd, pattern, {
      ignores: () => ignores,
      onDirectory: (visit) => skipped.push(...visit.skipped.map(String)) >= 0,
    });
  expect(search("**/*.?")).toEqual(["a.c", "src/e.c", "sub/f.c"]);
  expect(skipped).toEqual(["out", "src/out"]);
  expect(search("**/out/*.c")).toEqual(["out/b.c", "src/out/d.c"]);
  expect(search("out/**")).toEqual(["out/", "out/b.c", "out/x", "out/x/c.c"]);
  expect(search("**/e.o")).toEqual(["src/e.o"]);
  expect(search("{**/f.c,*/*.c}")).toEqual(["out/b.c", "src/e.c", "sub/f.c"]);
  expect(search("*/*.o")).toEqual(["src/e.o"]);
});

test("matches a leading dot if it is explicit, but not `.` and `..` below `**`", () => {
  const cwd = makeTree(...tree);
  expect(find(cwd, "**/.*")).toEqual(["lib/.dot", "lib/sh/.hidden.o"]);
  expect(find(cwd, "lib/**/..")).toEqual(["lib/..", "lib/.dot/..", "lib/glob/..", "lib/sh/.."]);
  expect(find(cwd, "**/./*.o").slice(0, 2)).toEqual(["./alias.o", "builtins/./history.o"]);
});

test("yields each path once, in order, however many ways lead to it", () => {
  const cwd = makeTree("a/a/a/a", "a/a-a/a", "a/b/a");
  const expected = ["a", "a/a", "a/a-a", "a/a-a/a", "a/a/a", "a/a/a/a", "a/b", "a/b/a"];
  expect(find(cwd, "**/a/**")).toEqual(expected);
  expect(find(cwd, "**/*/**/*")).toEqual(expected.slice(1));
  expect(find(cwd, "**/**/*/**")).toEqual(expected);
});

test("counts consecutive slashes after `**` as one", () => {
  const cwd = makeTree("a/b/c", "a/b-/c");
  expect(find(cwd, "**//b*//c")).toEqual(["a/b-/c", "a/b/c"]);
});

test("is the same as `*` beside other characters", () => {
  const cwd = makeTree("a/b/c", "abc");
  expect(find(cwd, "a**")).toEqual(["a", "abc"]);
  expect(find(cwd, "**c")).toEqual(["abc"]);
  expect(find(cwd, "\\**")).toEqual([]);
});
