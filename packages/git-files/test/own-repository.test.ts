import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ownershipProblem } from "../src/worktree.ts";

const repository = { "top/.git/objects/ab/cd": "", "top/.git/objects/pack/p.pack": "" };

/** Git's own directory for these, unless it is another one. */
const problemOf = (top: string, used = "../common") => ownershipProblem(top, join(top, used));

/** A working tree whose repository, elsewhere, points back to it. */
const worktree = (name: string) => ({
  "common/objects/ab/cd": "",
  [`common/worktrees/${name}/commondir`]: "../..\n",
  [`common/worktrees/${name}/gitdir`]: "../../../top/.git\n",
  "top/.git": `gitdir: ../common/worktrees/${name}\n`,
});

test("a repository with all of its files is its own, and so is that of a worktree it points back to", async () => {
  expect(problemOf(join(await tempDir(repository), "top"), ".git")).toBeUndefined();
  expect(problemOf(join(await tempDir(worktree("w")), "top"))).toBeUndefined();
});

test("one that does not point back, or has a link among its objects, is not", async () => {
  const other = await tempDir({
    ...worktree("w"),
    "common/worktrees/w/gitdir": "../../../elsewhere/.git\n",
    "elsewhere/.git": "",
  });
  expect(problemOf(join(other, "top"))).toBe("its .git leads to another repository");
  const linked = await tempDir(repository);
  symlinkSync("/etc/hostname", join(linked, "top/.git/objects/ab/ef"));
  expect(problemOf(join(linked, "top"), ".git")).toBe('its .git has the symbolic link "objects/ab/ef"');
});

test.each([
  "refs",
  "refs/heads/ikigai",
  "logs",
  "logs/refs/heads/ikigai",
  "worktrees",
  "worktrees/x/HEAD",
  "HEAD",
  "index",
  "config",
  "packed-refs",
  "reftable",
])("one whose .git has a link where git writes is not: %s", async (path) => {
  const top = join(await tempDir({ ...repository, "elsewhere/": "" }), "top");
  mkdirSync(dirname(join(top, ".git", path)), { recursive: true });
  symlinkSync("/etc", join(top, ".git", path));
  expect(problemOf(top, ".git")).toBe(`its .git has the symbolic link ${JSON.stringify(path)}`);
});

test.each(["hooks", "hooks/pre-commit", "info/exclude", "lfs", "annex/objects/x", "modules"])(
  "links are allowed where git does not write for a worktree: %s",
  async (path) => {
    const top = join(await tempDir(repository), "top");
    mkdirSync(dirname(join(top, ".git", path)), { recursive: true });
    symlinkSync("/etc", join(top, ".git", path));
    expect(problemOf(top, ".git")).toBeUndefined();
  },
);

test.each([
  [".\n", undefined],
  [".", undefined],
  ["./..\n", "its .git leads to another repository"],
  [" .\n", "its .git leads to another repository"],
  ["", "its .git leads to another repository"],
])("commondir leads elsewhere unless it names its own directory, as in the sandbox: %j", async (content, problem) => {
  const top = join(await tempDir({ ...repository, "top/.git/commondir": content }), "top");
  expect(problemOf(top, ".git")).toBe(problem);
});

test.each([
  ["a space before the path", " ../..\n", { "common/worktrees/w/ ../": "" }],
  ["a NUL in the path", "own\0/../../..\n", { "common/worktrees/w/own/": "" }],
  ["a link before ..", "../../modules/..\n", { "other/objects/": "", "common/modules": { link: "../other/objects" } }],
])("what git reads as another path is not taken for the repository's: %s", async (_, commondir, more) => {
  const root = await tempDir({ ...worktree("w"), ...more, "common/worktrees/w/commondir": commondir });
  expect(problemOf(join(root, "top"))).toMatch(/another repository|NUL|symbolic link/);
});

test("a repository other than the one that git uses is not its own", async () => {
  const root = await tempDir({ ...worktree("w"), "other/": "" });
  expect(problemOf(join(root, "top"), "../other")).toBe("its .git leads to another repository");
});

test("a path that is not UTF-8 is not taken for the one that it decodes to", async () => {
  const top = join(await tempDir(worktree("\ufffdw")), "top");
  writeFileSync(join(top, ".git"), Buffer.from("gitdir: ../common/worktrees/\xffw\n", "latin1"));
  expect(problemOf(top)).toContain("names a path that is not UTF-8");
});
