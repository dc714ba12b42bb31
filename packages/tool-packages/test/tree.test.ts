// Promise 10 of SECURITY.md.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashTree } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { compareTrees, copyTree, tameTree } from "../src/tree.ts";

const odd = Buffer.from("\xffx", "latin1");
const at = (directory: string) => Buffer.concat([Buffer.from(`${directory}/`), odd]);

test("a folder is hashed by all paths below it, in a fixed order", async () => {
  const root = await tempDir({ "b/c": "1", a: "2" });
  symlinkSync("a", join(root, "b/link"));
  const { sha256, paths } = hashTree(root);
  expect(paths).toEqual(["a", "b/c", "b/link"]);
  writeFileSync(join(root, "b/c"), "3");
  expect(hashTree(root).sha256).not.toBe(sha256);
});

// macOS creates no such names.
test.skipIf(process.platform !== "linux").each([
  ["a file", (root: string) => writeFileSync(at(root), "")],
  ["a link", (root: string) => symlinkSync("/etc/passwd", at(root))],
  ["the target of a link", (root: string) => symlinkSync(odd, join(root, "link"))],
])("no package is read in which %s has a name that is not UTF-8", async (_, make) => {
  // What the name becomes as a text.
  const root = await tempDir({ "p/\ufffdx": "", "to/": "" });
  make(join(root, "p"));
  const wrong = expect.objectContaining({ code: "EILSEQ" });
  for (const read of [hashTree, tameTree]) expect(() => read(join(root, "p"))).toThrow(wrong);
  expect(() => copyTree(join(root, "p"), join(root, "to"))).toThrow(wrong);
  expect(() => compareTrees(join(root, "p"), join(root, "to"))).toThrow(wrong);
});
