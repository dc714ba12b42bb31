// Promise 2 of SECURITY.md.
// @module-tag sampled
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareGuard, hasBubblewrap, type SandboxStage, sandboxStage } from "./sandbox-stage.ts";

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "init.defaultBranch=main"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const commit = "git -c user.name=me -c user.email=me@localhost commit -q --allow-empty -m";

async function repository(): Promise<SandboxStage> {
  const stage = await sandboxStage();
  git(stage.projectDir, "init", "-q");
  git(stage.projectDir, "commit", "-q", "--allow-empty", "-m", "first");
  return stage;
}

/** The same stage, in which git may write to the repository. */
function granted(stage: SandboxStage): SandboxStage {
  const sandbox = { ...stage.sandbox, git: true };
  return { ...stage, run: (script, options) => stage.run(script, { sandbox, ...options }) };
}

/** None of these may work: each would run something the user has not approved. */
const attempts = [
  "mkdir -p .git/hooks && echo 'touch ran' > .git/hooks/pre-commit",
  "mv .git/hooks .git/old && mkdir .git/hooks",
  "rm -rf .git/hooks; mkdir .git/hooks && echo x > .git/hooks/pre-commit",
  "git config core.fsmonitor 'touch ran'",
  "echo '[core]' >> .git/config",
  "cp .git/config c && mv c .git/config",
  "rm .git/config && echo '[core]' > .git/config",
  "mv .git old && mkdir .git && echo x > .git/config",
  "rm -rf .git && mkdir .git && echo x > .git/config",
  "mkdir evil && echo ../evil > .git/commondir",
  "rm .git/commondir",
  "mkdir -p .ikigai/tools && echo x > .ikigai/tools/bash-tool",
  "mv .ikigai old && mkdir -p .ikigai/tools",
  "rmdir .ikigai && mkdir -p .ikigai/tools",
];

async function tryAll({ run }: SandboxStage): Promise<void> {
  for (const attempt of attempts)
    expect({ attempt, code: (await run(attempt)).code }).not.toEqual({ attempt, code: 0 });
}

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap)", () => {
  test.concurrent("lets git read its repository, and keeps it unchanged", async () => {
    const stage = await repository();
    const { run, projectDir } = stage;
    const before = spawnSync("sh", ["-c", "find . -type f | sort | xargs sha256sum"], {
      cwd: join(projectDir, ".git"),
    });
    const { code, output } = await run("echo a > a; git status --short; git log --format=%s; git diff; git branch");
    expect({ code, output }).toEqual({ code: 0, output: "?? a\nfirst\n* main" });
    for (const attempt of ["git add a", `${commit} second`, "git update-ref refs/heads/x HEAD", "touch .git/x"]) {
      expect({ attempt, code: (await run(attempt)).code }).not.toEqual({ attempt, code: 0 });
    }
    await tryAll(stage);
    const after = spawnSync("sh", ["-c", "find . -type f | sort | xargs sha256sum"], { cwd: join(projectDir, ".git") });
    expect(String(after.stdout)).toBe(String(before.stdout));
  });

  test.concurrent("lets git work where that is granted, and protects what decides what it runs", async () => {
    const stage = granted(await repository());
    const { run, projectDir } = stage;
    const config = readFileSync(join(projectDir, ".git/config"), "utf8");
    const hooks = readdirSync(join(projectDir, ".git/hooks"));
    const { code, output } = await run(
      `echo a > a && git add a && ${commit} second && git checkout -q -b b && git status --short`,
    );
    expect({ code, output }).toEqual({ code: 0, output: "" });
    expect(git(projectDir, "log", "--format=%s", "b")).toBe("second\nfirst\n");
    await tryAll(stage);
    expect(readFileSync(join(projectDir, ".git/config"), "utf8")).toBe(config);
    expect(readdirSync(join(projectDir, ".git/hooks"))).toEqual(hooks);
  });

  test.concurrent("prevents creating what is missing", async () => {
    const stage = await sandboxStage();
    await tryAll(stage);
    expect(readdirSync(stage.projectDir).sort()).toEqual([".git", ".ikigai", bareGuard, "evil"].sort());
    expect(readdirSync(join(stage.projectDir, ".git"))).toEqual([]);
    // A repository that is not one disturbs no repository around it.
    expect(spawnSync("git", ["rev-parse"], { cwd: stage.projectDir }).status).not.toBe(0);
  });

  test.concurrent("protects a directory that was added to the project like the project", async () => {
    const stage = await repository();
    const other = join(stage.root, "other");
    git(stage.root, "init", "-q", "other");
    const sandbox = { ...stage.sandbox, directories: [other] };
    const run: SandboxStage["run"] = (script) => stage.run(`cd ${other}; ${script}`, { sandbox });
    expect(await run("echo a > a; cat a")).toMatchObject({ code: 0, output: "a" });
    await tryAll({ ...stage, run });
    const readOnly = { ...sandbox, isReadOnly: true };
    expect(await stage.run(`cat ${other}/a; echo b > ${other}/a`, { sandbox: readOnly })).not.toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(other, "a"), "utf8")).toBe("a\n");
  });

  test.concurrent("does not let a plain directory become a repository", async () => {
    const stage = await sandboxStage({ "project/.git/info/exclude": "" });
    expect((await stage.run("echo 'ref: refs/heads/x' > .git/HEAD; mkdir .git/objects")).code).not.toBe(0);
  });

  test.concurrent("lets a tool commit to a worktree's repository, and no more", async () => {
    const stage = await sandboxStage();
    const { root, projectDir } = stage;
    const main = join(root, "main");
    git(root, "init", "-q", "main");
    git(main, "commit", "-q", "--allow-empty", "-m", "first");
    git(main, "worktree", "add", "-q", "-f", projectDir);
    expect((await stage.run(`${commit} second`)).code).not.toBe(0);
    const { run } = granted(stage);
    const { code, output } = await run(`echo a > a && git add a && ${commit} second`);
    expect({ code, output }).toEqual({ code: 0, output: "" });
    expect(git(projectDir, "log", "--format=%s")).toBe("second\nfirst\n");
    const refused = [
      `echo x > ${main}/.git/hooks/post-commit`,
      `echo '[core]' >> ${main}/.git/config`,
      `echo /evil > ${main}/.git/worktrees/project/commondir`,
      `mkdir ${main}/.git/worktrees/other`,
      "echo 'gitdir: /evil' > .git",
      "rm .git",
      `echo x > ${main}/file`,
    ];
    for (const attempt of refused)
      expect({ attempt, code: (await run(attempt)).code }).not.toEqual({ attempt, code: 0 });
  });

  test.concurrent("ignores a file that points to another repository", async () => {
    const stage = await sandboxStage();
    const { root, projectDir } = stage;
    const { run } = granted(stage);
    const main = join(root, "main");
    git(root, "init", "-q", "main");
    git(main, "commit", "-q", "--allow-empty", "-m", "first");
    git(main, "worktree", "add", "-q", join(root, "real"));
    spawnSync("cp", [join(root, "real/.git"), join(projectDir, ".git")]);
    expect((await run(`echo x > ${main}/.git/refs/heads/x; ${commit} second`)).code).not.toBe(0);
    expect(existsSync(join(main, ".git/refs/heads/x"))).toBe(false);
  });

  test.concurrent("treats a project that is reached by a link as the same project", async () => {
    const { run, root, projectDir } = await sandboxStage();
    const link = join(root, "link");
    symlinkSync(projectDir, link);
    const { code, output } = await run("echo a > a; mkdir -p .ikigai/tools", { cwd: link, projectDir: link });
    expect(code).not.toBe(0);
    expect(output).toContain("Read-only file system");
    expect(existsSync(join(projectDir, "a"))).toBe(true);
  });

  test.concurrent("rejects links that cannot be protected", async () => {
    const { run, projectDir } = await sandboxStage({ "project/real/": "" });
    symlinkSync("real", join(projectDir, ".git"));
    expect((await run("true")).envelope).toMatchObject({
      error_code: "TOOL_UNAVAILABLE",
      error: `Tool 'try' cannot be started: the sandbox cannot be started: ${projectDir}/.git is a symbolic link, which cannot be protected`,
    });
  });

  test.concurrent("rejects a project that is the user's home or around it", async () => {
    const { run, sandbox, root } = await sandboxStage();
    const { envelope } = await run("true", { cwd: root, projectDir: root });
    expect(envelope).toMatchObject({
      error_code: "TOOL_UNAVAILABLE",
      error: expect.stringContaining(`the project directory ${root} contains your home directory`),
    });
    const { userHome } = sandbox;
    const atHome = await run("true", { cwd: userHome, projectDir: userHome });
    expect(atHome.envelope).toMatchObject({
      error: expect.stringContaining(`the project directory ${userHome} is your home directory`),
    });
  });

  test.concurrent("refuses to hide everything, which would hide nothing", async () => {
    const { run, sandbox } = await sandboxStage();
    const { envelope } = await run("true", { sandbox: { ...sandbox, hidden: ["/tmp/.."] } });
    expect(envelope).toMatchObject({
      error_code: "TOOL_UNAVAILABLE",
      error: expect.stringContaining("/ cannot be hidden"),
    });
  });

  test.concurrent("refuses to make everything writable, which would make nothing writable", async () => {
    const { run, sandbox } = await sandboxStage();
    const { envelope } = await run("true", { sandbox: { ...sandbox, writable: ["/tmp/.."] } });
    expect(envelope).toMatchObject({
      error_code: "TOOL_UNAVAILABLE",
      error: expect.stringContaining("/ cannot be writable"),
    });
  });

  test.concurrent("shows more or hides more if configured", async () => {
    const { run, sandbox, root } = await sandboxStage({
      "cache/": "",
      "person/.npmrc": "token",
      "project/secret/key": "sk-secret",
      "outer/inner/hidden/x": "",
    });
    const own = {
      ...sandbox,
      writable: [join(root, "cache"), join(root, "outer")],
      readable: [join(root, "person/.npmrc")],
      hidden: [join(root, "project/secret"), join(root, "outer/inner/hidden")],
    };
    const script =
      "echo x > ../cache/x && cat ../person/.npmrc && ls -A secret ../outer/inner/hidden && ! mv ../outer/inner ../outer/other 2>/dev/null";
    const { code, output } = await run(script, { sandbox: own });
    expect({ code, output }).toEqual({ code: 0, output: "token../outer/inner/hidden:\n\nsecret:" });
    expect(existsSync(join(root, "cache/x"))).toBe(true);
  });
});
