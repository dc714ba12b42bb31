// Promise 2 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitProblem, keepIndex } from "@ikigai/sandbox";
import { describe, expect, test } from "vitest";
import { hasBubblewrap, type SandboxStage, sandboxStage } from "./sandbox-stage.ts";

/** Runs git as the user does, outside the sandbox. */
function git({ projectDir, root }: SandboxStage, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: join(root, "person") };
  const { stdout, stderr } = spawnSync("git", args, { cwd: projectDir, env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

async function repository(): Promise<SandboxStage> {
  const stage = await sandboxStage({ "person/.profile": "" });
  git(stage, "init", "-q", "-b", "main");
  // In the sandbox git has the home of the user that runs the test.
  git(stage, "config", "user.name", "me");
  git(stage, "config", "user.email", "me@localhost");
  writeFileSync(join(stage.projectDir, "a.txt"), "one\n");
  git(stage, "add", "-A");
  git(stage, "commit", "-q", "-m", "first");
  return stage;
}

const evil = (directory: string) =>
  `git init -q ${directory} && git -C ${directory} -c user.name=x -c user.email=x commit -q --allow-empty -m x`;

function problemOf({ projectDir, root, home }: SandboxStage, env: NodeJS.ProcessEnv = {}): Promise<string | undefined> {
  const userHome = join(root, "person");
  return commitProblem({ projectDir, home, userHome, env: { PATH: "/usr/bin:/bin", HOME: userHome, ...env } });
}

describe.skipIf(!hasBubblewrap)("where git records work (needs bwrap)", () => {
  test("git can, but what decides what runs is read-only, and there is no network", async () => {
    const stage = await repository();
    const sandbox = { ...stage.sandbox, git: "committing" as const, network: false };
    const work =
      "set -e; echo two > a.txt; echo new > b.txt; git add -A; git commit -qm second; git stash -q || true; git switch -qc next; git tag v1; git branch other; echo x >> b.txt; git stash -q; git stash pop -q; git log --format=%s";
    expect(await stage.run(work, { sandbox })).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^second\nfirst$/m),
    });
    expect(git(stage, "status", "--short", "--branch")).toBe("## next\n M b.txt\n");
    expect(git(stage, "fsck")).not.toMatch(/error|missing|broken/);
    for (const attack of [
      "git config core.fsmonitor x",
      "echo x > .git/hooks/pre-commit",
      "mv .git/hooks .git/h",
      "rm .git/config",
      "echo '* filter=x' > .git/info/attributes",
      "mv .git g",
      "echo x > .git/objects/info/alternates",
    ])
      expect({ attack, code: (await stage.run(attack, { sandbox })).code }).not.toMatchObject({ code: 0 });
    expect(await stage.run("tail -n +3 /proc/net/dev | grep -vc lo:", { sandbox })).toMatchObject({ output: "0" });
  });

  test("git runs no hook, and no monitor", async () => {
    const stage = await repository();
    writeFileSync(join(stage.projectDir, ".git/hooks/pre-commit"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
    git(stage, "config", "core.fsmonitor", "touch ran; false");
    const sandbox = { ...stage.sandbox, git: "committing" as const };
    expect(await stage.run("git commit -q --allow-empty -m x", { sandbox })).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.projectDir, "ran"))).toBe(false);
  });
});

test("an ordinary repository has no problem, nor one with Git LFS and aliases in the user's configuration", async () => {
  const stage = await repository();
  expect(await problemOf(stage)).toBeUndefined();
  git(stage, "config", "--global", "filter.lfs.clean", "git-lfs clean -- %f");
  git(stage, "config", "--global", "filter.lfs.process", "git-lfs filter-process");
  git(stage, "config", "--global", "alias.st", "status");
  git(stage, "config", "--global", "commit.gpgSign", "false");
  expect(await problemOf(stage)).toBeUndefined();
});

test.each<[string, (stage: SandboxStage) => void, RegExp]>([
  ["a hook", ({ projectDir }) => writeFileSync(join(projectDir, ".git/hooks/pre-commit"), ""), /the hook pre-commit/],
  ["hooks elsewhere", (stage) => git(stage, "config", "core.hooksPath", ".husky"), /sets core.hookspath/],
  ["a filter", (stage) => git(stage, "config", "filter.x.clean", "./x"), /sets filter.clean/],
  ["a filter of the user's", (stage) => git(stage, "config", "--global", "filter.x.clean", "./x"), /sets filter.clean/],
  [
    "a filter in another file",
    (stage) => {
      writeFileSync(join(stage.root, "person/more"), '[filter "x"]\n\tsmudge = ./x\n');
      git(stage, "config", "--global", "include.path", "more");
    },
    /sets filter.smudge/,
  ],
  ["signatures", (stage) => git(stage, "config", "--global", "commit.gpgSign", "true"), /sets commit.gpgsign/],
  ["a merge driver", (stage) => git(stage, "config", "merge.x.driver", "./x"), /sets merge.driver/],
  ["another working tree", (stage) => git(stage, "config", "core.worktree", ".."), /sets core.worktree/],
  ["a rebase", ({ projectDir }) => mkdirSync(join(projectDir, ".git/rebase-merge")), /middle of something/],
  ["a link", ({ projectDir }) => symlinkSync("/tmp", join(projectDir, ".git/x")), /\.git\/x is a symbolic link/],
  [
    "a repository in it",
    (stage) => spawnSync("sh", ["-c", evil("sub")], { cwd: stage.projectDir }),
    /sub\/ is a repository/,
  ],
  [
    "a directory with tracked files that became a repository",
    (stage) =>
      spawnSync("sh", ["-c", `mkdir -p sub/x; >sub/x/a; git add -A; ${evil("sub")}`], { cwd: stage.projectDir }),
    /sub\/ is a repository/,
  ],
  [
    "a file that became a repository",
    ({ projectDir }) => spawnSync("sh", ["-c", `rm a.txt; ${evil("a.txt")}`], { cwd: projectDir }),
    /a.txt\/ is a repository/,
  ],
  [
    "a submodule",
    (stage) => {
      const id = git(stage, "rev-parse", "HEAD").trim();
      git(stage, "update-index", "--add", "--cacheinfo", `160000,${id},sub`);
    },
    /has submodules/,
  ],
  ["no repository", ({ projectDir }) => spawnSync("rm", ["-r", join(projectDir, ".git")]), /no repository of its own/],
])("asks where another program could run, or another repository be meant: %s", async (_, change, said) => {
  const stage = await repository();
  change(stage);
  expect(await problemOf(stage)).toMatch(said);
});

test("asks if a variable leads elsewhere", async () => {
  const stage = await repository();
  expect(await problemOf(stage, { GIT_DIR: "x" })).toBe("GIT_DIR is set");
  expect(await problemOf(stage, { PATH: `${stage.projectDir}/node_modules/.bin:/usr/bin` })).toMatch(/PATH has/);
  expect(await problemOf(stage, { PATH: "bin:/usr/bin" })).toMatch(/PATH has/);
  expect(await problemOf(stage, { PATH: "/usr/bin:/tmp/bin" })).toMatch(/PATH has \/tmp\/bin, where a tool may/);
});

test("puts the index back if a repository has come into it meanwhile", async () => {
  const stage = await repository();
  const index = join(stage.projectDir, ".git/index");
  const check = keepIndex(stage.projectDir);
  writeFileSync(join(stage.projectDir, "b.txt"), "");
  git(stage, "add", "-A");
  expect(check()).toBeUndefined();
  const before = readFileSync(index);
  const again = keepIndex(stage.projectDir);
  spawnSync("sh", ["-c", `${evil("sub")}; git add -A`], { cwd: stage.projectDir });
  expect(again()).toBe("sub is a repository of its own, so .git/index is as it was before the call.");
  expect(readFileSync(index).equals(before)).toBe(true);
});
