// @module-tag sampled
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFileIndex, rankFiles } from "../src/tui/input/complete.ts";

test("lists added directories, as paths from the project", async () => {
  const parent = await tempDir({ "proj/a.txt": "", "lib/x.ts": "", "lib/.gitignore": "b.txt", "lib/b.txt": "" });
  const files = openFileIndex(
    () => join(parent, "proj"),
    () => [join(parent, "lib")],
  );
  expect(await files()).toEqual(["a.txt", "../lib/x.ts"]);
});

test("lists another directory after /cd at once, without the project around it", async () => {
  const parent = await tempDir({ "proj/a.txt": "", "proj/sub/b.txt": "", "lib/x.ts": "" });
  let at = "proj";
  const files = openFileIndex(
    () => join(parent, at),
    () => [join(parent, "lib")],
  );
  await files();
  at = "proj/sub";
  expect(await files()).toEqual(["b.txt", "../../lib/x.ts"]);
  at = "lib";
  expect(await files()).toEqual(["x.ts"]);
});

test.each([
  ["cart", ["src/cart.ts", "src/cart-view.ts", "test/cart.test.ts", "src/old/my-cart.ts", "src/carousel/art.ts"]],
  ["test/ca", ["test/cart.test.ts"]],
])("ranks the files that match %s", (wanted, ranked) => {
  const paths = ["src/carousel/art.ts", "src/cart-view.ts", "src/cart.ts", "src/old/my-cart.ts", "test/cart.test.ts"];
  expect(rankFiles(paths, wanted).slice(0, ranked.length)).toEqual(ranked);
});

test("rules for ignored files are read from regular files only: a link may lead to a device", async () => {
  const root = await tempDir({
    "a.txt": "",
    "b.txt": "",
    "sub/.gitignore": "c.txt\n",
    "sub/c.txt": "",
    "sub/d.txt": "",
  });
  symlinkSync("/dev/zero", join(root, ".gitignore"));
  expect((await openFileIndex(() => root)()).toSorted()).toEqual(["a.txt", "b.txt", "sub/", "sub/d.txt"]);
});

test("a list of ignored files counts up to 1 MiB", async () => {
  const listed = async (bytes: number) => {
    const rules = "b.txt\n".padEnd(bytes, "#");
    const root = await tempDir({ "a.txt": "", "b.txt": "", ".gitignore": rules });
    return openFileIndex(() => root)();
  };
  expect((await listed(1_048_576)).toSorted()).toEqual(["a.txt"]);
  expect((await listed(1_048_577)).toSorted()).toEqual(["a.txt", "b.txt"]);
});
