import fs, { type Dirent, mkdirSync, type PathLike, rmdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test } from "vitest";
import { type DirectoryVisit, type GlobOptions, glob } from "../../src/glob/index.ts";
import { makeTree } from "./tree.ts";

/** Makes listing some directories fail, like a broken disk or a full file table. */
function failToList(codeFor: (path: string, withTypes: boolean) => string | undefined): void {
  const { readdirSync } = fs;
  const failing = (path: PathLike, options: { withFileTypes?: boolean } | string) => {
    const code = codeFor(String(path), typeof options === "object" && options.withFileTypes === true);
    if (code !== undefined) throw Object.assign(new Error(`${code}: scandir`), { code });
    return Reflect.apply(readdirSync, fs, [path, options]) as Dirent[];
  };
  Object.assign(fs, { readdirSync: failing });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { readdirSync });
    syncBuiltinESMExports();
  });
}

/** What is found, and what happened in each directory. */
function search(cwd: string, pattern: string, options: GlobOptions = {}) {
  const visits: DirectoryVisit[] = [];
  const onDirectory = (visit: DirectoryVisit) => visits.push(visit) > 0;
  return { found: Array.from(glob(pattern, { cwd, onDirectory, ...options }), String), visits };
}

test("skips a directory that cannot be read, and says why", () => {
  const cwd = makeTree("a/x", "b/x", "c/x");
  failToList((path) => (path.endsWith("/b/") ? "EIO" : undefined));
  const { found, visits } = search(cwd, "*/*");
  expect(found).toEqual(["a/x", "c/x"]);
  expect(visits).toContainEqual({ path: "b/", entryCount: 0, links: [], skipped: [], problem: "EIO" });
  expect(visits.filter(({ problem }) => problem !== undefined)).toHaveLength(1);
});

test.each(["EMFILE", "ENFILE", "ENOMEM"])("throws %s, since continuing would lose results", (code) => {
  const cwd = makeTree("a/x", "b/x");
  failToList((path) => (path.endsWith("/b/") ? code : undefined));
  expect(() => search(cwd, "*/*")).toThrow(expect.objectContaining({ code }));
});

test("treats a directory that vanishes during the search as empty", () => {
  const cwd = makeTree("a/x", "b/x");
  failToList((path) => (path.endsWith("/b/") ? "ENOENT" : undefined));
  const { found, visits } = search(cwd, "*/*");
  expect(found).toEqual(["a/x"]);
  expect(visits).toContainEqual({ path: "b/", entryCount: 0, links: [], skipped: [] });
});

test("asks for each file's type if the file system does not report it", () => {
  const cwd = makeTree("dir/x", "dir/sub/y", "file", "link -> dir", "broken -> nowhere");
  failToList((_, withTypes) => (withTypes ? "ENOENT" : undefined));
  expect(search(cwd, "*").found).toEqual(["broken", "dir", "file", "link"]);
  expect(search(cwd, "*/").found).toEqual(["dir/", "link/"]);
  expect(search(cwd, "**/*", { filesOnly: true }).found).toEqual(["dir/sub/y", "dir/x", "file"]);
});

test("still looks up literal names in a directory that cannot be listed", () => {
  const cwd = makeTree("a/x/y", "a/z");
  failToList((path) => (path.endsWith("/a/") ? "EACCES" : undefined));
  const { found, visits } = search(cwd, "{a/x/*,a/z,a/[!z]}");
  expect(found).toEqual(["a/x", "a/x/y", "a/z"]);
  expect(visits).toContainEqual(expect.objectContaining({ path: "a/", problem: "EACCES" }));
});

test("skips a directory whose path is too long for the system, and says why", () => {
  const cwd = makeTree("a/x");
  const start = process.cwd();
  const name = "d".repeat(200);
  const depth = 25;
  process.chdir(cwd);
  // Step by step, since a path must not be that long.
  for (let level = 0; level < depth; level++) {
    mkdirSync(name);
    process.chdir(name);
  }
  onTestFinished(() => {
    for (let level = 0; level < depth; level++) {
      process.chdir("..");
      rmdirSync(name);
    }
    process.chdir(start);
  });
  const { visits } = search(cwd, "**");
  expect(visits.map(({ problem }) => problem).filter(Boolean)).toEqual(["ENAMETOOLONG"]);
});

test("names the links it follows, and with filesOnly those it returns as files", () => {
  const cwd = makeTree("dir/x", "file", "toDir -> dir", "toFile -> file", "broken -> nowhere", "loop -> loop");
  const linksOf = (pattern: string, options?: GlobOptions) =>
    search(cwd, pattern, options).visits.flatMap(({ links }) => links);
  expect(linksOf("*/*")).toEqual(["toDir", "toFile"]);
  expect(linksOf("**/x")).toEqual([]);
  expect(linksOf("*", { filesOnly: true })).toEqual(["toFile"]);
  expect(linksOf("*")).toEqual([]);
});

test("lists a link to itself, but does not follow it", () => {
  const cwd = makeTree("loop -> loop", "a/x");
  expect(search(cwd, "*").found).toEqual(["a", "loop"]);
  expect(search(cwd, "*/").found).toEqual(["a/"]);
  expect(search(cwd, "loop/*").found).toEqual([]);
  expect(search(cwd, "*", { filesOnly: true }).found).toEqual([]);
});

test("ends if onDirectory returns false, also with several patterns", () => {
  const cwd = makeTree("a/x", "b/x", "c/x");
  const visited: string[] = [];
  const onDirectory = ({ path }: DirectoryVisit) => visited.push(String(path)) < 2;
  expect(search(cwd, "*/*", { onDirectory }).found).toEqual([]);
  expect(visited).toEqual(["", "a/"]);
  visited.length = 0;
  expect(search(cwd, "{./*/x,*/x}", { onDirectory }).found).toEqual([]);
  expect(visited).toEqual(["", "./"].toSorted());
});

test("yields nothing more once onDirectory has ended the search", () => {
  const cwd = makeTree("a/x", "z");
  expect(search(cwd, "**", { onDirectory: ({ path }) => path !== "a/" }).found).toEqual(["a"]);
});

test("counts the entries it examined", () => {
  const cwd = makeTree("a", ".b", "dir/x");
  expect(search(cwd, "*").visits).toEqual([{ path: "", entryCount: 3, links: [], skipped: [] }]);
  expect(search(cwd, "dir/x").visits.map(({ entryCount }) => entryCount)).toEqual([1, 1]);
});
