import { join } from "node:path";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const tool = ownExecutable(import.meta.url);
const hook = join(import.meta.dirname, "fixtures/readdir.cjs");
const tree = {
  "a/b.txt": "",
  "a/deep/c.txt": "",
  "bad/d.txt": "",
  link: { link: "a" },
  "é.txt": "",
};

const run = (cwd: string, readdir: string) =>
  call(tool, { pattern: "**/*.txt" }, { cwd, env: { NODE_OPTIONS: `--require=${hook}`, READDIR: readdir } });

test("finds the same if the file system does not report file types", async () => {
  const cwd = await tempDir(tree);
  const plain = await call(tool, { pattern: "**/*.txt" }, { cwd });
  expect(plain).toMatchObject({ exitCode: 0, result: { count: 4 } });
  expect(await run(cwd, "no-types")).toEqual(plain);
});

test.each([
  ["EMFILE", "READ_ERROR"],
  ["ENFILE", "READ_ERROR"],
  ["ENOMEM", "OUT_OF_MEMORY"],
])("fails for %s with %s, since skipping would lose results silently", async (code, error_code) => {
  const cwd = await tempDir(tree);
  expect(await run(cwd, code)).toMatchObject({ exitCode: 0, result: { error_code } });
});

test("skips one directory for EIO, and reports it", async () => {
  const cwd = await tempDir(tree);
  expect(await run(cwd, "EIO")).toMatchObject({
    exitCode: 0,
    result: { count: 3, hint: expect.stringContaining("EIO") },
  });
});
