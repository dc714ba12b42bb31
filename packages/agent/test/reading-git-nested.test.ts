import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";

let tree: string;
let projectDir: string;

const env = () => ({ ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(tree, "gitconfig") });

function git(cwd: string, ...args: string[]): string {
  const names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
  return spawnSync("git", [...names, ...args], { cwd, env: env(), encoding: "utf8" }).stdout;
}

const problem = (command: string) =>
  readingProblem(command, { projectDir, home: join(tree, "home"), path: "/usr/bin:/bin" });

/** Whether git runs the program that a repository's configuration names: otherwise a test would prove nothing. */
function runsProgram(command: string): boolean {
  rmSync(join(tree, "ran"), { force: true });
  spawnSync("sh", ["-c", command], { cwd: projectDir, env: env() });
  return existsSync(join(tree, "ran"));
}

beforeEach(async () => {
  tree = await tempDir({ "proj/a.txt": "a\n", gitconfig: "" });
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(tree, "gitconfig"));
  vi.stubEnv("GIT_CONFIG_SYSTEM", join(tree, "none"));
  projectDir = join(tree, "proj");
  git(projectDir, "init", "-q");
  git(projectDir, "add", "-A");
  git(projectDir, "commit", "-qm", "first");
  writeFileSync(join(tree, "canary"), `#!/bin/sh\ntouch '${tree}/ran'\n`, { mode: 0o755 });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Commits a repository inside the repository, whose configuration runs the canary. */
function nest(...settings: readonly (readonly [string, string])[]): void {
  git(projectDir, "init", "-q", "s");
  writeFileSync(join(projectDir, "s/f"), "1\n");
  git(join(projectDir, "s"), "add", "f");
  git(join(projectDir, "s"), "commit", "-qm", "one");
  git(projectDir, "add", "s");
  git(projectDir, "commit", "-qm", "nested");
  for (const [name, value] of settings) git(join(projectDir, "s"), "config", name, value);
}

test("a directory with HEAD and commondir is a repository for git", async () => {
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "${join(tree, "canary")}; false"\n[extensions]\n\tworktreeConfig = true\n`;
  const files = {
    "sub/HEAD": "ref: refs/heads/main\n",
    "sub/commondir": "lib\n",
    "sub/lib/objects/keep": "",
    "sub/lib/refs/keep": "",
    "sub/lib/config": config,
    "sub/config.worktree": "[core]\n\tworktree = .\n",
  };
  for (const [path, content] of Object.entries(files)) {
    spawnSync("mkdir", ["-p", join(projectDir, path, "..")]);
    writeFileSync(join(projectDir, path), content);
  }
  expect(problem("git status")).toBeUndefined();
  for (const command of ["git -C sub status", "cd sub && git diff", "git -C sub ls-files -o", "git -C sub log -p"])
    expect(problem(command), command).toBeDefined();
  expect(runsProgram("git -C sub status")).toBe(true);
});

/** Writes the index with other bytes in the entry of this name, and with its checksum. */
function changeEntry(name: string, change: (index: Buffer, at: number) => void): void {
  const path = join(projectDir, ".git/index");
  const index = readFileSync(path);
  change(index, index.indexOf(`${name}\0`) - 62);
  createHash("sha1")
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  writeFileSync(path, index);
}

test.each([
  ["as it is", () => {}],
  ["with another mode", (index: Buffer, at: number) => void index.writeUInt32BE(0o160644, at + 24)],
])("a nested repository is found in the index %s", (_, change) => {
  nest(["core.fsmonitor", `${join(tree, "canary")}; false`]);
  changeEntry("s", change);
  expect(problem("git status")).toBe("it contains other repositories");
  expect(problem("git grep x")).toBe("it contains other repositories");
  expect(runsProgram("git status")).toBe(true);
});

test("needs a question if the index cannot be read whole", () => {
  git(projectDir, "update-index", "--split-index");
  expect(problem("git status")).toBe("its index cannot be read");
});

test("settings with which git starts itself in a nested repository are asked about, also those of the user", () => {
  nest(["diff.external", `${join(tree, "canary")}; true`]);
  writeFileSync(join(projectDir, "s/f"), "2\n");
  git(join(projectDir, "s"), "commit", "-qam", "two");
  git(projectDir, "add", "s");
  git(projectDir, "commit", "-qm", "changed");
  expect(problem("git show HEAD")).toBeUndefined();
  expect(runsProgram("git show HEAD")).toBe(false);
  git(projectDir, "config", "diff.submodule", "diff");
  expect(problem("git show HEAD")).toBe("its configuration has diff.submodule");
  expect(runsProgram("git show HEAD")).toBe(true);
  git(projectDir, "config", "--unset", "diff.submodule");
  for (const text of [
    "[diff]\nsubmodule = diff\n",
    "[diff] submodule=log\n",
    "[submodule]\n\trecurse\n",
    "[submodule]\nRecurse = true\n",
    "\ufeff[submodule] recurse ; always\r\n",
    '[diff "a]b"] submodule = log\n',
    "[status]\n\tsubmoduleSummary\n",
    "[status]\n\tsubmoduleSummary = 5\n",
  ]) {
    writeFileSync(join(tree, "gitconfig"), text);
    expect(problem("git show HEAD"), text).toContain("with which git enters other repositories");
  }
  for (const text of [
    "[diff]\nsubmodule = short\n",
    "[submodule]\n\trecurse = false\n",
    "[push]\nrecurseSubmodules = check\n",
    "[status]\n\tsubmoduleSummary = off\n\tshort = true\n",
    "[alias]\n\tsm = submodule\n",
    '[submodule "s"]\n\turl = x\n',
  ]) {
    writeFileSync(join(tree, "gitconfig"), text);
    expect(problem("git show HEAD"), text).toBeUndefined();
  }
});

test.each([
  ["extensions.objectformat", "sha1"],
  ["branch.sort", "signature"],
  ["status.submodulesummary", "true"],
])("the setting %s of a repository is asked about", (name, value) => {
  git(projectDir, "config", name, value);
  expect(problem("git log")).toBe(`its configuration has ${name}`);
});

test.each([
  ["branch.main.remote", "origin"],
  ["status.short", "true"],
  ["submodule.s.url", "https://example.org/s"],
])("the setting %s of a repository needs no question", (name, value) => {
  git(projectDir, "config", name, value);
  expect(problem("git log")).toBeUndefined();
});

test.each(["GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"])(
  "git is asked about while the environment has %s",
  (name) => {
    expect(problem("git log")).toBeUndefined();
    vi.stubEnv(name, "1");
    expect(problem("git log")).toBe(`your environment has ${name}, which may change what git reads and runs`);
    vi.stubEnv(name, undefined);
    expect(problem("git log")).toBeUndefined();
  },
);

test("git is asked about while the user's configuration has a file that the project holds", () => {
  const inside = join(projectDir, "gitconfig");
  const outside = join(tree, "more");
  for (const path of [inside, outside]) writeFileSync(path, "[core]\n\tpager = less\n");
  writeFileSync(join(tree, "gitconfig"), `[include]\n\tpath = ${outside}\n`);
  expect(problem("git log")).toBeUndefined();
  writeFileSync(join(tree, "gitconfig"), `[include]\n\tpath = ${inside}\n`);
  expect(problem("git log")).toBe("your git configuration has a file in the project");
  unlinkSync(outside);
  symlinkSync(inside, outside);
  writeFileSync(join(tree, "gitconfig"), `[include]\n\tpath = ${outside}\n`);
  expect(problem("git log")).toBe("your git configuration has a file in the project");
});

test.each(["git shortlog --group=* z", "cmake -V", "gcc -V", `awk 'BEGIN{extension("./e.so","x")}'`])(
  "%s needs a question",
  (command) => {
    expect(problem(command)).toBeDefined();
  },
);
