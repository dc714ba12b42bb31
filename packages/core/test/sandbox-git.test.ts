// Promise 2 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareGuard, hasBubblewrap, type SandboxStage, sandboxStage } from "./sandbox-stage.ts";

const identity = ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "init.defaultBranch=main"];

/** Runs git as the user does, outside the sandbox, with this home. */
function git({ projectDir, root }: SandboxStage, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: join(root, "person"), GIT_CONFIG_NOSYSTEM: "1" };
  const { stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd: projectDir, env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

async function repository(files: Parameters<typeof sandboxStage>[0] = {}): Promise<SandboxStage> {
  const stage = await sandboxStage(files);
  git(stage, "init", "-q");
  git(stage, "commit", "-q", "--allow-empty", "-m", "first");
  return stage;
}

/** Whether what a tool wrote was run by the user's next ordinary commands. */
function hasRun(stage: SandboxStage): boolean {
  git(stage, "status");
  git(stage, "diff");
  git(stage, "commit", "-q", "--allow-empty", "-m", "next");
  return existsSync(join(stage.projectDir, "PWNED"));
}

/** A repository that runs something at each `git status`. */
const evil = (dir: string) =>
  `git init -q ${dir} && git -C ${dir} config core.fsmonitor 'touch "$PROJECT/PWNED"; false' && git -C ${dir} -c user.name=x -c user.email=x@x commit -q --allow-empty -m x`;

async function attack(stage: SandboxStage, script: string): Promise<void> {
  const { sandbox, projectDir } = stage;
  await stage.run(`PROJECT=${projectDir}; ${script.replaceAll("$PROJECT", projectDir)}`, { sandbox });
  // Programs that git runs inside the sandbox do no harm.
  rmSync(join(projectDir, "PWNED"), { force: true });
  expect({ script, ran: hasRun(stage) }).toEqual({ script, ran: false });
}

const hook = "#!/bin/sh\\ntouch $PROJECT/PWNED\\n";
const writeHook = (dir: string) => `mkdir -p ${dir}; printf '${hook}' > ${dir}/pre-commit; chmod +x ${dir}/pre-commit`;
const setting = "printf '[core]\\n\\tfsmonitor = touch $PROJECT/PWNED; false\\n'";

describe.skipIf(!hasBubblewrap)("git runs nothing that a sandboxed tool has written (needs bwrap)", () => {
  test.concurrent("a repository in the repository, added to the index", async () => {
    const stage = await repository();
    await attack(
      stage,
      `${evil("sub")}; git add sub; git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub`,
    );
  });

  test.concurrent("a project that becomes a bare repository", async () => {
    const stage = await sandboxStage();
    await attack(stage, `${evil("x")}; cp -r x/.git/* .; git config -f config core.worktree $PROJECT`);
    expect(existsSync(join(stage.projectDir, "refs"))).toBe(true);
    const broken = await sandboxStage({ "project/.git/": "" });
    await attack(broken, `${evil("x")}; cp -r x/.git/* .; git config -f config core.worktree $PROJECT`);
  });

  test.concurrent("a hook directory that does not exist yet, however it is spelled", async () => {
    for (const value of [".githooks", '".githooks" ; ours', ".git\\\nhooks", "a/b/c", "./a/../.githooks"]) {
      const stage = await repository();
      appendFileSync(join(stage.projectDir, ".git/config"), `[core]\n\thooksPath = ${value}\n`);
      await attack(stage, `${writeHook(".githooks")}; ${writeHook("a/b/c")}`);
    }
  });

  test.concurrent("a hook directory and a configuration that exist", async () => {
    const stage = await repository();
    mkdirSync(join(stage.projectDir, "hooks"));
    writeFileSync(join(stage.projectDir, "shared.gitconfig"), "");
    git(stage, "config", "core.hooksPath", "hooks");
    git(stage, "config", "include.path", "../shared.gitconfig");
    await attack(stage, `${writeHook("hooks")}; mv hooks old; ${writeHook("hooks")}; ${setting} > shared.gitconfig`);
  });

  test.concurrent("a configuration that does not exist yet, on two lines, nested or conditional", async () => {
    const texts = [
      "[include]\n\tpath = ../new.gitconfig\n",
      "[include]\n\tpath = ../new\\\n.gitconfig\n",
      '[includeIf "onbranch:other"]\n\tpath = ../new.gitconfig\n[include] path = "../new.gitconfig" # ours\n',
      "[include]\n\tpath = ../x/new.gitconfig\n",
    ];
    for (const text of texts) {
      const stage = await repository();
      appendFileSync(join(stage.projectDir, ".git/config"), text);
      await attack(stage, `mkdir x; ${setting} > new.gitconfig; ${setting} > x/new.gitconfig`);
    }
    const stage = await repository({ "project/a.gitconfig": "[include]\n\tpath = b.gitconfig\n" });
    appendFileSync(join(stage.projectDir, ".git/config"), "[include]\n\tpath = ../a.gitconfig\n");
    await attack(stage, `${setting} > b.gitconfig; ${setting} > a.gitconfig`);
  });

  test.concurrent("what the user's own configuration names in the project", async () => {
    const stage = await repository({ "person/.gitconfig": "[core]\n\thooksPath = .githooks\n" });
    await attack(stage, writeHook(".githooks"));
    const other = await repository();
    writeFileSync(join(other.root, "person/.gitconfig"), `[include]\n\tpath = ${other.projectDir}/team.gitconfig\n`);
    await attack(other, `${setting} > team.gitconfig`);
  });

  test.concurrent("a configuration of the user's that is a link into the project", async () => {
    const stage = await repository({ "project/gitconfig": "", "person/.gitconfig": { link: "../project/gitconfig" } });
    await attack(stage, `${setting} > gitconfig; rm gitconfig; ${setting} > gitconfig`);
  });

  test.concurrent("another working tree of the repository, in the project", async () => {
    const stage = await repository();
    git(stage, "worktree", "add", "-q", "tree");
    await stage.run(
      `PROJECT=${stage.projectDir}; ${evil("x")}; echo "gitdir: $PROJECT/x/.git" > tree/.git; mv tree old`,
    );
    git({ ...stage, projectDir: join(stage.projectDir, "tree") }, "status");
    expect(existsSync(join(stage.projectDir, "tree/.git"))).toBe(true);
    expect(readFileSync(join(stage.projectDir, "tree/.git"), "utf8")).toContain("/.git/worktrees/tree");
  });

  test.concurrent("a repository that GIT_DIR names", async () => {
    const stage = await repository();
    spawnSync("mv", [join(stage.projectDir, ".git"), join(stage.projectDir, "store")]);
    const env = { ...process.env, GIT_DIR: "store", SCRIPT: "echo x >> store/config || mkdir store/hooks/x" };
    expect((await stage.run("", { env })).code).not.toBe(0);
  });

  test.concurrent("rejects a link on the way to the hooks", async () => {
    const stage = await repository({ "project/real/": "", "project/hooks": { link: "real" } });
    git(stage, "config", "core.hooksPath", "hooks");
    expect((await stage.run("true")).envelope).toMatchObject({
      error: expect.stringMatching(/hooks is a symbolic link on the way to git configuration, which cannot be/),
    });
  });

  test.concurrent("a submodule that is redirected, replaced or not checked out", async () => {
    for (const file of ["gitdir: ../.git/modules/sub\n", undefined]) {
      const stage = await repository();
      const { projectDir } = stage;
      const id = git(stage, "rev-parse", "HEAD").trim();
      if (file !== undefined) {
        mkdirSync(join(projectDir, "sub"));
        git(stage, "clone", "-q", "--bare", ".", ".git/modules/sub");
        writeFileSync(join(projectDir, "sub/.git"), file);
      }
      git(stage, "update-index", "--add", "--cacheinfo", `160000,${id},sub`);
      await attack(
        stage,
        `${evil("evil")}; mkdir -p sub; mv sub old; mkdir -p sub; rm -rf sub/.git; cp -r evil/.git sub/.git`,
      );
      await attack(stage, "echo 'gitdir: ../evil/.git' > sub/.git");
    }
  });

  test.concurrent("a submodule that is not checked out, in which git status works meanwhile", async () => {
    const stage = await repository({ "project/vendor/sub/": "" });
    const id = git(stage, "rev-parse", "HEAD").trim();
    git(stage, "update-index", "--add", "--cacheinfo", `160000,${id},vendor/sub`);
    await stage.run("git status --porcelain > status; echo $? >> status");
    expect(readFileSync(join(stage.projectDir, "status"), "utf8")).toMatch(/^A {2}vendor\/sub\n(?:.*\n)*0$/m);
    await attack(
      stage,
      `${evil("evil")}; cp -r evil/.git vendor/sub; rmdir vendor/sub; mv vendor old; mkdir -p vendor; mv evil vendor/sub`,
    );
  });

  test.concurrent("a file instead of the repository", async () => {
    const stage = await repository();
    spawnSync("mv", [join(stage.projectDir, ".git"), join(stage.projectDir, "store")]);
    writeFileSync(join(stage.projectDir, ".git"), "gitdir: store\n");
    await attack(
      stage,
      `${setting} >> store/config; ${writeHook("store/hooks")}; mv store s; ${evil("x")}; mv x/.git store`,
    );
  });

  test.concurrent("rejects an index of an unknown format", async () => {
    const stage = await repository();
    for (const bytes of ["DIRC\0\0\0\u0009\0\0\0\u0001", "garbage garbage", "DIRC\0\0\0\u0002\0\0\0\u0001"]) {
      writeFileSync(join(stage.projectDir, ".git/index"), bytes, "latin1");
      expect((await stage.run("true")).envelope).toMatchObject({
        error: expect.stringContaining("index has an unknown format, so the submodules cannot be"),
      });
    }
  });

  test.concurrent("placeholders that git does not see", async () => {
    const stage = await sandboxStage();
    const outer = spawnSync("git", ["init", "-q", stage.root]);
    expect(outer.status).toBe(0);
    await stage.run("true");
    expect(readdirSync(stage.projectDir).sort()).toEqual([".git", ".ikigai", bareGuard]);
    expect(spawnSync("git", ["status", "--short", "project"], { cwd: stage.root, encoding: "utf8" }).stdout).toBe("");
  });
});
