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
const objects = ["alias.o", "builtins/history.o", "lib/glob/glob.o", "lib/glob/smatch.o", "lib/sh/casemod.o"];
const inLib = ["glob", "glob/glob.o", "glob/smatch.o", "sh", "sh/casemod.o"];
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
  ["lib/**/glob/*.o", objects.slice(2, 4)],
  ["**/glob/**/*.o", objects.slice(2, 4)],
  ["**/lib", ["lib"]],
  ["**", everything],
  ["**/*", everything],
  ["**/**", everything],
])("%s matches any number of directories, including none", (pattern, expected) => {
  expect(find(makeTree(...tree), pattern)).toEqual(expected);
});

test.each([
  ["**/", ["builtins/", "lib/", "lib/glob/", "lib/sh/", "link/", "loop/", "loop/self/"]],
  ["**/*/", ["builtins/", "lib/", "lib/glob/", "lib/sh/", "link/", "loop/", "loop/self/"]],
  ["lib/**/", ["lib/", "lib/glob/", "lib/sh/"]],
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

test("does not enter symbolic links and dot directories, unless the pattern does explicitly", () => {
  const cwd = makeTree(...tree);
  expect(find(cwd, "loop/**/*.o")).toEqual([]);
  expect(find(cwd, "link/**/casemod.o")).toEqual(["link/sh/casemod.o"]);
  expect(find(cwd, "**/self/*.o")).toEqual(["loop/self/alias.o"]);
  expect(find(cwd, "**/.dot/*")).toEqual(["lib/.dot/x.o"]);
  expect(find(cwd, "lib/.dot/**")).toEqual(["lib/.dot/", "lib/.dot/x.o"]);
});

test("matches a leading dot if it is explicit, but not `.` and `..` below `**`", () => {
  const cwd = makeTree(...tree);
  expect(find(cwd, "**/.*")).toEqual(["lib/.dot", "lib/sh/.hidden.o"]);
  expect(find(cwd, "lib/**/..")).toEqual(["lib/..", "lib/glob/..", "lib/sh/.."]);
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
