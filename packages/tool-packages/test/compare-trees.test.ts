import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { compareTrees } from "../src/tree.ts";

test("an update names every file that is added, removed or changed, the package's own before those it depends on", async () => {
  const root = await tempDir({
    "old/a-tool": "one\n",
    "old/gone": "x",
    "old/same": "y",
    "old/node_modules/b/index.js": "1",
    "new/a-tool": "two\n",
    "new/fresh": "z",
    "new/same": "y",
    "new/node_modules/b/index.js": "2",
  });
  symlinkSync("a-tool", join(root, "new/link"));
  expect(compareTrees(join(root, "old"), join(root, "new"))).toEqual([
    { path: "a-tool", kind: "changed", lines: { before: ["one"], after: ["two"] } },
    { path: "fresh", kind: "added", lines: { before: [], after: ["z"] } },
    { path: "gone", kind: "removed", lines: { before: ["x"], after: [] } },
    { path: "link", kind: "added", lines: { before: [], after: ["link to a-tool"] } },
    { path: "node_modules/b/index.js", kind: "changed", lines: { before: ["1"], after: ["2"] } },
  ]);
});

test("a file that became a folder is removed, and the folder's files are added; the reverse, too", async () => {
  const root = await tempDir({ "flat/data": "x\n", "deep/data/a": "x\n", "linked/target/a": "x\n" });
  symlinkSync("target", join(root, "linked/data"));
  const [flat, deep, linked] = ["flat", "deep", "linked"].map((name) => join(root, name)) as [string, string, string];
  const changes = (before: string, after: string) =>
    compareTrees(before, after).map(({ path, kind }) => `${kind} ${path}`);
  expect(changes(flat, deep)).toEqual(["removed data", "added data/a"]);
  expect(changes(deep, flat)).toEqual(["added data", "removed data/a"]);
  expect(changes(linked, deep)).toEqual(["removed data", "added data/a", "removed target/a"]);
  expect(changes(join(flat, "data"), deep)).toEqual(["removed ", "added data/a"]);
  expect(changes(deep, join(flat, "data"))).toEqual(["added ", "removed data/a"]);
});

test.each([
  [65_536, true],
  [65_537, false],
])("of a file of %s bytes the lines are shown: %s", async (bytes, areShown) => {
  const root = await tempDir({ "old/f": "x", "new/f": "y".repeat(bytes) });
  const [file] = compareTrees(join(root, "old"), join(root, "new"));
  expect(file?.lines !== undefined).toBe(areShown);
});
