import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { indexEntries } from "../src/files/git.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "git-index-"));
  writeFileSync(join(dir, "a.txt"), "a");
});
afterEach(() => rmSync(dir, { recursive: true }));

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: dir, encoding: "utf8" });
}

const index = () => readFileSync(join(dir, ".git/index"));

function init(...options: string[]): void {
  git("init", "-q", ...options);
  git("add", "a.txt");
}

const link = (format: string, path: string) =>
  git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(format === "sha1" ? 40 : 64)},${path}`);

test.each(["sha1", "sha256"])("reads versions 2 to 4 with %s", (format) => {
  init(`--object-format=${format}`);
  const hashBytes = format === "sha1" ? 20 : 32;
  expect(indexEntries(index(), hashBytes)).toEqual({
    repositories: [],
    directories: new Set(),
    dotted: [],
    isComplete: true,
  });
  for (const path of ["sub/inner", "sub/inner2/\u00e9"]) link(format, path);
  writeFileSync(join(dir, "new.txt"), "");
  mkdirSync(join(dir, "sub/.a"), { recursive: true });
  writeFileSync(join(dir, "sub/.a/b"), "");
  git("add", "--intent-to-add", "new.txt", "sub/.a/b");
  for (const version of ["2", "3", "4"]) {
    git("update-index", "--index-version", version);
    expect(indexEntries(index(), hashBytes), version).toEqual({
      repositories: ["sub/inner", "sub/inner2/\u00e9"],
      directories: new Set(["sub", "sub/.a", "sub/inner2"]),
      dotted: ["sub/.a/b"],
      isComplete: true,
    });
  }
});

test("rejects a cut index, another format, and a name that ends elsewhere than its length says", () => {
  init();
  expect(indexEntries(index().subarray(0, 60))).toBeUndefined();
  expect(indexEntries(Buffer.from("DIRC\0\0\0\x05\0\0\0\0"))).toBeUndefined();
  const bytes = index();
  bytes.writeUInt16BE(200, 12 + 60);
  expect(indexEntries(bytes)).toBeUndefined();
});

test("says that an index is incomplete if entries are elsewhere or not UTF-8", () => {
  init();
  for (const name of ["IEOT", "EOIE", "link"]) {
    const extension = Buffer.alloc(12);
    extension.write(name);
    extension.writeUInt32BE(4, 4);
    const bytes = Buffer.concat([index().subarray(0, -20), extension, Buffer.alloc(20)]);
    expect(indexEntries(bytes)?.isComplete, name).toBe(false);
  }
  link("sha1", "sub");
  const bytes = index();
  bytes.write("\xff", bytes.indexOf("sub\0"), "latin1");
  expect(indexEntries(bytes)?.isComplete).toBe(false);
});
