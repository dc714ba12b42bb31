import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { glob } from "../../src/glob/index.ts";
import { find, makeTree } from "./tree.ts";

test("finds names by wildcards, sorted by their bytes", () => {
  const cwd = makeTree("b.c", "a.c", "Z.c", "é.c", "a.h", "a-b.c");
  expect(find(cwd, "*.c")).toEqual(["Z.c", "a-b.c", "a.c", "b.c", "é.c"]);
  expect(find(cwd, "?.c")).toEqual(["Z.c", "a.c", "b.c", "é.c"]);
  expect(find(cwd, "[!a-z].c")).toEqual(["Z.c", "é.c"]);
});

test.skipIf(process.platform === "darwin")("does not match a byte as the character with its value", () => {
  const cwd = makeTree("plain");
  writeFileSync(Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from([0xe9])]), "");
  expect(Array.from(glob("[[:alpha:]]", { cwd }))).toHaveLength(0);
  expect(Array.from(glob("[![:alpha:]]", { cwd }))).toHaveLength(1);
  expect(Array.from(glob("?", { cwd }))).toHaveLength(1);
});

test("sorts whole paths, not names: a dash is less than a slash", () => {
  const cwd = makeTree("a/x", "a-b/x", "a.b", "a0");
  expect(find(cwd, "**")).toEqual(["a", "a-b", "a-b/x", "a.b", "a/x", "a0"]);
  expect(find(cwd, "*/x")).toEqual(["a-b/x", "a/x"]);
});

test("sorts by bytes where UTF-16 differs", () => {
  const cwd = makeTree("\u{1f600}", "\uffee");
  expect(find(cwd, "*")).toEqual(["\uffee", "\u{1f600}"]);
});

test("matches a leading dot only with an explicit dot", () => {
  const cwd = makeTree(".a", "b/.c", ".d/e");
  expect(find(cwd, "*")).toEqual(["b"]);
  expect(find(cwd, "[.]a")).toEqual([]);
  expect(find(cwd, "?a")).toEqual([]);
  expect(find(cwd, ".[!.]*")).toEqual([".a", ".d"]);
  expect(find(cwd, "b/.*")).toEqual(["b/.", "b/..", "b/.c"]);
  expect(find(cwd, "*/*")).toEqual([]);
  expect(find(cwd, ".d/*")).toEqual([".d/e"]);
});

test("matches directories like files, and only directories before a trailing slash", () => {
  const cwd = makeTree("dir/", "file", "link -> dir", "other -> file", "broken -> nowhere");
  expect(find(cwd, "*")).toEqual(["broken", "dir", "file", "link", "other"]);
  expect(find(cwd, "*/")).toEqual(["dir/", "link/"]);
  expect(find(cwd, "dir/")).toEqual(["dir/"]);
  expect(find(cwd, "file/")).toEqual([]);
});

test("matches a pattern without wildcards if it exists", () => {
  const cwd = makeTree("a/b", "broken -> nowhere");
  expect(find(cwd, "a/b")).toEqual(["a/b"]);
  expect(find(cwd, "a/c")).toEqual([]);
  expect(find(cwd, "broken")).toEqual(["broken"]);
  expect(find(cwd, ".")).toEqual(["."]);
  expect(find(cwd, "a/..")).toEqual(["a/.."]);
  expect(find(cwd, "a/b/.")).toEqual([]);
});

test("spells paths as the pattern does", () => {
  const cwd = makeTree("a/b/c", "*x");
  expect(find(cwd, "./a//b/./*")).toEqual(["./a//b/./c"]);
  expect(find(cwd, "*//b")).toEqual(["a//b"]);
  expect(find(cwd, "a/*//")).toEqual(["a/b//"]);
  expect(find(cwd, "\\a/\\*")).toEqual([]);
  expect(find(cwd, "\\*x")).toEqual(["*x"]);
  expect(find(cwd, "a\\/b")).toEqual(["a/b"]);
  expect(find("", `${cwd}/a/*`)).toEqual([`${cwd}/a/b`]);
  expect(find(cwd, "/")).toEqual(["/"]);
});

test("matches nothing for patterns that cannot match any path", () => {
  const cwd = makeTree("a", "\\");
  for (const pattern of ["", "a\0", "\ud800", "\\", "a\\", "a/b\\"]) expect(find(cwd, pattern)).toEqual([]);
});

test("follows symbolic links where the pattern does", () => {
  const cwd = makeTree("dir/a", "link -> dir", "dir/up -> ..");
  expect(find(cwd, "*/a")).toEqual(["dir/a", "link/a"]);
  expect(find(cwd, "dir/up/dir/*")).toEqual(["dir/up/dir/a", "dir/up/dir/up"]);
});

test("puts a base before the pattern, literally if it exists", () => {
  const cwd = makeTree("[id]/a", "i/a", "x/a");
  expect(find(cwd, "*", { base: "[id]" })).toEqual(["[id]/a"]);
  expect(find(cwd, "*", { base: "x/" })).toEqual(["x/a"]);
  expect(find(cwd, "a", { base: "./x" })).toEqual(["./x/a"]);
  expect(find(cwd, "a", { base: "[ix]" })).toEqual(["i/a", "x/a"]);
  expect(find(cwd, "a", { base: "nowhere" })).toEqual([]);
  expect(find(cwd, "i/*", { base: cwd })).toEqual([`${cwd}/i/a`]);
});

test("finds only regular files if requested", () => {
  const cwd = makeTree("a", "d/b", "file -> a", "dir -> d", "broken -> nowhere");
  expect(find(cwd, "*", { filesOnly: true })).toEqual(["a", "file"]);
  expect(find(cwd, "d/**", { filesOnly: true })).toEqual(["d/b"]);
  expect(find(cwd, "/", { filesOnly: true })).toEqual([]);
});

test("yields names that are not UTF-8 as bytes", () => {
  const cwd = makeTree("a");
  const bytes = Buffer.from([0x62, 0xff, 0xc3]);
  writeFileSync(Buffer.concat([Buffer.from(`${cwd}/`), bytes]), "found");
  expect([...glob("*", { cwd })]).toEqual(["a", bytes]);
  expect([...glob("b??", { cwd })]).toEqual([bytes]);
  const [path] = glob(`${cwd}/b[!a]*`);
  expect(path && readFileSync(path, "utf8")).toBe("found");
});

test("skips directories without permission", () => {
  const cwd = makeTree("open/a", "closed/a", "searchable/a");
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, "closed"), 0o000);
  chmodSync(join(cwd, "searchable"), 0o111);
  // Root can read everything, so this runs as another user.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  const found = [find(cwd, "*/*"), find(cwd, "*/a")];
  if (isRoot) process.seteuid?.(0);
  chmodSync(join(cwd, "closed"), 0o700);
  chmodSync(join(cwd, "searchable"), 0o700);
  expect(found).toEqual([["open/a"], ["open/a", "searchable/a"]]);
});

test("reads directories as results are requested", () => {
  const cwd = makeTree("a/x", "b/");
  const results = glob("*/*", { cwd });
  expect(results.next().value).toBe("a/x");
  writeFileSync(join(cwd, "b", "late"), "");
  expect([...results]).toEqual(["b/late"]);
});

test("handles deep trees without recursion", () => {
  const cwd = makeTree(`${"d/".repeat(1500)}leaf`);
  expect(find(cwd, "**/leaf")).toEqual([`${"d/".repeat(1500)}leaf`]);
});
