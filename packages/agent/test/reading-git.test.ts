import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { gitRefused } from "../src/permission/read-only/git-specs.ts";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";
import { unknownSetting } from "../src/permission/read-only/repository-programs.ts";

let tree: string;
let projectDir: string;

const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd: projectDir,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const problem = (command: string, scope = {}) =>
  readingProblem(command, { projectDir, home: join(tree, "home"), path: "/usr/bin:/bin", ...scope });

beforeEach(async () => {
  tree = await tempDir({ "proj/a.txt": "a\n", "proj/sub/b.txt": "b\n", "elsewhere/x": "" });
  projectDir = join(tree, "proj");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("remote", "add", "origin", "https://example.org/x.git");
  writeFileSync(join(projectDir, "a.txt"), "changed\n");
});

/** Writes a program that leaves a mark; `hasRun` says whether it ran. */
function canary(): { readonly program: string; hasRun(): boolean } {
  const program = join(tree, "canary");
  writeFileSync(program, `#!/bin/sh\ntouch '${tree}/ran'\n`, { mode: 0o755 });
  return { program, hasRun: () => existsSync(join(tree, "ran")) };
}

describe("git's read-only commands", () => {
  test.each([
    "git status",
    "git status --short --branch",
    "git --no-pager diff HEAD~1 -- a.txt",
    "git diff --stat main...HEAD -- sub ':!a.txt'",
    "git log --oneline -5 --grep='x'",
    "git log -p -S 'x' --since=yesterday -- a.txt",
    "git show HEAD:a.txt | head",
    "git -C sub log -1 --format='%h %s'",
    "cd sub && git blame -L 1,2 b.txt",
    "git branch -a",
    "git branch --list 'f*'",
    "git tag -l",
    "git remote -v",
    "git stash list",
    "git rev-parse --show-toplevel HEAD",
    "git ls-files -o --exclude-standard",
    "git grep -n TODO -- '*.ts'",
    "git merge-base main HEAD",
    "git worktree list",
    "git reflog -3",
    "git --version",
  ])("need no question: %s", (command) => {
    expect(problem(command)).toBeUndefined();
  });

  test.each(Object.entries(gitRefused))("git %s needs a question: it %s", (words) => {
    expect(problem(`git ${words}`)).toBeDefined();
  });

  test.each([
    "git -C .. status",
    "git -C ../elsewhere log",
    "git diff /etc/passwd a.txt",
    "git show HEAD > x",
    "git diff --outpu=x",
    "git commit -m x",
    "git log --format=%h HEAD *",
    "git $X",
    "git config --get user.name",
    "git lg",
  ])("need a question: %s", (command) => {
    if (command.endsWith("*")) writeFileSync(join(projectDir, "--output=x"), "");
    expect(problem(command)).toBeDefined();
  });

  test("asks without a repository, and in one above the project, a linked one and a bare one", () => {
    expect(problem("git status", { projectDir: join(tree, "elsewhere") })).toBe("there is no repository");
    expect(problem("git status", { projectDir: join(projectDir, "sub") })).toBe(
      "the repository is larger than the project",
    );
    git("worktree", "add", "-q", join(projectDir, "tree"));
    expect(problem("cd tree && git status")).toBe("its .git is not a directory");
    git("init", "-q", "--bare", "sub/bare");
    expect(problem("git -C sub/bare log")).toBe("its .git is not a directory");
    expect(problem("git status")).toBeUndefined();
  });
});

describe("a repository that names a program", () => {
  test.each([
    ["fsmonitor", "core.fsmonitor", "git status"],
    ["an external diff", "diff.external", "git diff"],
    ["hooks", "core.hooksPath", "git status"],
    ["a pager", "core.pager", "git log"],
    ["an alias", "alias.lg", "git log"],
    ["an include", "include.path", "git status"],
    ["an ssh command", "core.sshCommand", "git log"],
    ["a filter", "filter.x.clean", "git status"],
    ["a converter", "diff.x.textconv", "git diff"],
    ["another tree", "core.worktree", "git status"],
    ["a promised remote", "remote.origin.promisor", "git log"],
  ])("needs a question: %s", (_, setting, command) => {
    expect(problem(command)).toBeUndefined();
    git("config", setting, canary().program);
    expect(problem(command)).toMatch(/its configuration has /);
  });

  test("needs a question if its fsmonitor would really run", () => {
    const { program, hasRun } = canary();
    git("config", "core.fsmonitor", program);
    spawnSync("git", ["status"], { cwd: projectDir, env });
    expect(hasRun()).toBe(true);
    expect(problem("git status")).toBe("its configuration has core.fsmonitor");
  });

  test("needs a question because of the hook that reading commands run", () => {
    expect(problem("git status")).toBeUndefined();
    writeFileSync(join(projectDir, ".git/hooks/post-index-change"), "", { mode: 0o755 });
    expect(problem("git status")).toBe("it has the hook post-index-change");
  });

  test("needs a question if it is inside another and the index names it", () => {
    const inner = join(projectDir, "inner");
    mkdirSync(inner);
    for (const args of [
      ["init", "-q"],
      ["commit", "-qm", "x", "--allow-empty"],
    ]) {
      spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: inner, env });
    }
    expect(problem("git status")).toBeUndefined();
    git("add", "inner");
    expect(problem("git status")).toBe("it contains other repositories");
    expect(problem("git log")).toBeUndefined();
  });

  test.each([
    ['[core]\n\tbare = false\n# a comment\n[branch "x"]\n\tmerge = refs/heads/x\n', undefined],
    ['[remote "origin"]\n\turl = x\n\tfetch = y\n\tuploadpack = z\n', "remote.uploadpack"],
    ["[core] fsmonitor = x\n", "a line that cannot be parsed"],
    ["[core]\n\tbare = false \\\n\tfsmonitor = x\n", "core.bare"],
    ["[CORE]\n\tFsMonitor = x\n", "core.fsmonitor"],
    ["[core.sub]\n\tbare = true\n", "core.sub.bare"],
    ["\ufeff[include]\n\tpath = x\n", "include.path"],
    ["[extensions]\n\tpartialclone = origin\n", "extensions.partialclone"],
    ["[core]\r\n\tbare = false\r\n", undefined],
  ])("reads a configuration strictly: %j", (text, setting) => {
    expect(unknownSetting(text)).toBe(setting);
  });

  test("asks about user hooks that lead into the project", () => {
    const file = join(tree, "gitconfig");
    const { GIT_CONFIG_GLOBAL } = process.env;
    process.env.GIT_CONFIG_GLOBAL = file;
    try {
      for (const [hooks, answer] of [
        [".githooks", "your core.hooksPath leads into the project"],
        [join(tree, "elsewhere"), undefined],
      ] as const) {
        writeFileSync(file, `[core]\n\thooksPath = ${hooks}\n`);
        expect(problem("git status")).toBe(answer);
      }
    } finally {
      if (GIT_CONFIG_GLOBAL === undefined) delete process.env.GIT_CONFIG_GLOBAL;
      else process.env.GIT_CONFIG_GLOBAL = GIT_CONFIG_GLOBAL;
    }
  });
});
