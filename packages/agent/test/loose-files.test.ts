import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { looseFiles } from "../src/agent/privacy-problems.ts";

const isRoot = process.getuid?.() === 0;

/** Writes a file that others can change. */
function loose(home: string, name: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  chmodSync(path, 0o666);
  return path;
}

test.each([
  "keys.json",
  "tools.json",
  "mcp-files.json",
  "hooks/before-call/guard",
  "tools/a-tool",
  "tools/lib/deep/module.js",
  "skills/pdf/SKILL.md",
  "agents/reviewer.md",
  "commands/ship.md",
  "themes/mine.json",
  "projects/x/tools/b-tool",
  "logs/service.log",
  "cache/schemas.jsonl",
  "packages/a/node_modules/b/index.js",
])("names %s if others can write it", async (name) => {
  const home = await tempDir();
  const path = loose(home, name);
  const problem = `${path} can be written by others (mode 666). To fix it: chmod go-w ${path}`;
  expect(looseFiles(home)).toEqual([problem]);
  chmodSync(path, 0o644);
  expect(looseFiles(home)).toEqual([]);
});

test("names a directory that others can write, unless every start does", async () => {
  const home = await tempDir({ "hooks/before-call/": "", "tools/": "", "skills/": "" });
  for (const name of ["hooks", "hooks/before-call", "tools", "skills"]) chmodSync(join(home, name), 0o777);
  expect(looseFiles(home)).toEqual([
    expect.stringContaining("/hooks/before-call can be written by others (mode 777). To fix it: chmod go-w "),
    expect.stringContaining("/skills can be written by others (mode 777). To fix it: chmod go-w "),
  ]);
});

test("names many in one place in one sentence, and each link, whose target chmod -R leaves", async () => {
  const home = await tempDir({ "tools/": "" });
  const elsewhere = loose(await tempDir(), "a-tool");
  symlinkSync(elsewhere, join(home, "tools/linked-tool"));
  for (let index = 1; index <= 40; index += 1) loose(home, `tools/t${index}-tool`);
  const top = join(home, "tools");
  const [many = "", linked] = looseFiles(home);
  expect(many).toMatch(/tools\/t\d+-tool can be written by others \(mode 666\), like 39 others below /);
  expect(many).toContain(` below ${top}. To fix it: chmod -R go-w ${top}`);
  expect(linked).toBe(
    `${top}/linked-tool can be written by others (mode 666). To fix it: chmod go-w ${top}/linked-tool`,
  );
});

test("does not follow a link to a large tree, nor one in a circle, and ends", async () => {
  const home = await tempDir({ "packages/": "", "skills/": "" });
  symlinkSync("..", join(home, "packages/up"));
  symlinkSync("/", join(home, "skills/all"));
  expect(looseFiles(home)).toEqual([]);
});

test.runIf(isRoot)("names another user's file (needs root)", async () => {
  const home = await tempDir({ "tools/a-tool": "" });
  const path = join(home, "tools/a-tool");
  chownSync(path, 65_534, 65_534);
  expect(looseFiles(home)).toEqual([
    `${path} belongs to another user (uid 65534). To fix it: if you trust it, chown 0 ${path}`,
  ]);
});

test("stops after many files, and says so", async () => {
  const home = await tempDir({ "packages/": "" });
  // With the directory itself, as many as are looked at.
  for (let index = 0; index < 19_999; index += 1) writeFileSync(join(home, `packages/${index}`), "");
  expect(looseFiles(home)).toEqual([]);
  writeFileSync(join(home, "packages/one-more"), "");
  expect(looseFiles(home)).toEqual([`${home} has more than 20000 files. Who can write the others was not checked.`]);
});
