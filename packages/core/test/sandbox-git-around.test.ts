// Promise 2 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBubblewrap, type SandboxStage, sandboxStage } from "./sandbox-stage.ts";

const identity = ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "init.defaultBranch=main"];

/** Runs git as the user does, outside the sandbox. */
function git({ root }: SandboxStage, cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: join(root, "person"), GIT_CONFIG_NOSYSTEM: "1" };
  const { stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd, env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

/** A repository in which each `git status` runs something. */
const evil = (dir: string, marker: string) =>
  `git init -q ${dir} && git -C ${dir} config core.fsmonitor 'touch "${marker}"; false' && git -C ${dir} -c user.name=x -c user.email=x@x commit -q --allow-empty -m x`;

/** Whether what a tool wrote runs at the user's next status and commit in this directory. */
async function attack(stage: SandboxStage, script: (marker: string) => string, at: string): Promise<void> {
  const marker = join(stage.projectDir, "PWNED");
  await stage.run(script(marker));
  // Programs that git runs inside the sandbox do no harm.
  rmSync(marker, { force: true });
  const said = [git(stage, at, "status"), git(stage, at, "commit", "-q", "--allow-empty", "-m", "next")];
  expect({ said, hasRun: existsSync(marker) }).toMatchObject({ hasRun: false });
}

const writeHook = (dir: string, marker: string) =>
  `mkdir -p ${dir}; printf '#!/bin/sh\\ntouch ${marker}\\n' > ${dir}/pre-commit; chmod +x ${dir}/pre-commit`;

describe.skipIf(!hasBubblewrap)(
  "git runs nothing a sandboxed tool wrote, in nested and outer repositories (needs bwrap)",
  () => {
    test.concurrent("a submodule of a submodule", async () => {
      const stage = await sandboxStage();
      const { projectDir } = stage;
      for (const path of ["", "sub", "sub/deep"]) {
        git(stage, projectDir, "init", "-q", join(projectDir, path));
        git(stage, join(projectDir, path), "commit", "-q", "--allow-empty", "-m", "first");
      }
      const id = (path: string) => git(stage, join(projectDir, path), "rev-parse", "HEAD").trim();
      git(stage, join(projectDir, "sub"), "update-index", "--add", "--cacheinfo", `160000,${id("sub/deep")},deep`);
      git(stage, projectDir, "update-index", "--add", "--cacheinfo", `160000,${id("sub")},sub`);
      await attack(
        stage,
        (marker) =>
          `${evil("x", marker)}; mv sub/deep old; mkdir -p sub/deep; rm -rf sub/deep/.git; cp -r x/.git sub/deep/.git`,
        projectDir,
      );
    });

    test.concurrent("hooks in the project, of a repository around it", async () => {
      const stage = await sandboxStage({ "project/hooks/": "" });
      git(stage, stage.root, "init", "-q");
      git(stage, stage.root, "config", "core.hooksPath", "project/hooks");
      await attack(stage, (marker) => `mv hooks old; ${writeHook("hooks", marker)}`, stage.root);
    });

    test.concurrent("a submodule in the project, of a repository around it", async () => {
      const stage = await sandboxStage();
      const { root, projectDir } = stage;
      const sub = join(projectDir, "sub");
      for (const path of [root, sub]) {
        git(stage, root, "init", "-q", path);
        git(stage, path, "commit", "-q", "--allow-empty", "-m", "first");
      }
      const id = git(stage, sub, "rev-parse", "HEAD").trim();
      git(stage, root, "update-index", "--add", "--cacheinfo", `160000,${id},project/sub`);
      await attack(
        stage,
        (marker) => `${evil("x", marker)}; mv sub old; mkdir -p sub; rm -rf sub/.git; cp -r x/.git sub/.git`,
        root,
      );
    });

    test.concurrent("another working tree that the repository names by a relative path", async () => {
      const stage = await sandboxStage();
      const { projectDir } = stage;
      git(stage, projectDir, "init", "-q");
      git(stage, projectDir, "commit", "-q", "--allow-empty", "-m", "first");
      git(stage, projectDir, "worktree", "add", "-q", "tree");
      writeFileSync(join(projectDir, ".git/worktrees/tree/gitdir"), "../../../tree/.git\n");
      await stage.run(`${evil("x", join(projectDir, "PWNED"))}; echo "gitdir: ${projectDir}/x/.git" > tree/.git`);
      expect(readFileSync(join(projectDir, "tree/.git"), "utf8")).toContain("/.git/worktrees/tree");
    });
  },
);
