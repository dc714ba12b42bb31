import { type DirectoryVisit, glob } from "@ikigai/posix/glob";
import { expect, test } from "vitest";
import { makeTree } from "../../posix/test/glob/tree.ts";
import { describeBelow, quotePath, SearchGaps } from "../src/index.ts";

function visit(path: string | Buffer, problem?: string): DirectoryVisit {
  return { path, entryCount: 0, links: [], skipped: [], ...(problem && { problem }) };
}

/** The description after these visits, without a time limit. */
function describeAfter(...visits: readonly DirectoryVisit[]): string[] {
  const gaps = new SearchGaps(() => false);
  for (const each of visits) expect(gaps.onDirectory(each)).toBe(true);
  expect(gaps.isStopped).toBe(false);
  return gaps.describe();
}

test.each([
  ["nothing when everything was searched", [visit("a/")], []],
  ["nothing about missing permissions", [visit("a/", "EACCES"), visit("b/", "EPERM")], []],
  ["the first directory with a problem", [visit("a/", "EIO"), visit("b/")], ["Not searched: 'a/' (EIO)."]],
  [
    "how many more there are",
    [visit("a/", "EIO"), visit("b/", "EIO"), visit("c/", "ESTALE")],
    ["Not searched: 'a/' and 2 more (EIO)."],
  ],
  [
    "what to do about a path that is too long",
    [visit("", "ENAMETOOLONG")],
    ["Not searched: '.' (the path is too long for the system; search from a directory below)."],
  ],
])("says %s", (_, visits, expected) => {
  expect(describeAfter(...visits)).toEqual(expected);
});

test("ends the search at the time limit, and says where", () => {
  const cwd = makeTree("a/x", "b/x");
  let visits = 0;
  const gaps = new SearchGaps(() => ++visits === 2);
  expect(Array.from(glob("*/*", { cwd, onDirectory: gaps.onDirectory }))).toEqual([]);
  expect(gaps.isStopped).toBe(true);
  expect(gaps.describe()).toEqual(["The time limit was reached in 'a/': narrow the search."]);
});

test("quotes a path of 80 characters completely, and leaves out the middle of a longer one", () => {
  expect(quotePath("")).toBe("'.'");
  expect(quotePath(Buffer.from("a"))).toBe("'a'");
  expect(quotePath("a".repeat(80))).toBe(`'${"a".repeat(80)}'`);
  expect(quotePath(`${"a".repeat(41)}${"b".repeat(40)}`)).toBe(`'${"a".repeat(40)}…${"b".repeat(40)}'`);
  // Surrogate pairs are not split.
  expect(quotePath(`${"a".repeat(39)}\u{1f600}${"b".repeat(60)}`).isWellFormed()).toBe(true);
});

test("counts the directories below, without links and hidden ones", () => {
  expect(describeBelow(makeTree("a"))).toBeUndefined();
  expect(describeBelow(makeTree("a/", "file", "link -> a", ".git/"))).toBe("1 directory below was not searched");
  expect(describeBelow(makeTree("a/", "b/", "c/d/"))).toBe("3 directories below were not searched");
});

test("counts up to a thousand directories", () => {
  const names = Array.from({ length: 1_001 }, (_, index) => `${index}/`);
  expect(describeBelow(makeTree(...names.slice(2)))).toBe("999 directories below were not searched");
  expect(describeBelow(makeTree(...names))).toBe("1000 or more directories below were not searched");
});
