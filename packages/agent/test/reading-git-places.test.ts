import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";
import { elsewhereProblem } from "../src/permission/read-only/repository-place.ts";
import { maxEntries } from "../src/permission/read-only/stays-inside.ts";

let tree: string;
let projectDir: string;
let gitDir: string;

const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(...args: string[]): string {
  const names = ["-c", "user.name=a", "-c", "user.email=a@b"];
  return spawnSync("git", [...names, ...args], { cwd: projectDir, env, encoding: "utf8" }).stdout;
}

const problem = (command: string, place = projectDir) =>
  readingProblem(command, { projectDir: place, home: join(tree, "home"), path: "/usr/bin:/bin" });

beforeEach(async () => {
  tree = await tempDir({ "proj/a.txt": "a\n", "proj/dir/b.txt": "b\n", "elsewhere/b.txt": "SECRET\n" });
  projectDir = join(tree, "proj");
  gitDir = join(projectDir, ".git");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  writeFileSync(join(tree, "canary"), `#!/bin/sh\ntouch '${tree}/ran'\n`, { mode: 0o755 });
});

/** A git configuration that runs the canary. */
const evil = () => `[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor=${join(tree, "canary")}\n`;

/** Whether a command that needs a question would have run the canary: otherwise the test would prove nothing. */
function wouldRun(command: string, cwd = projectDir): boolean {
  spawnSync("sh", ["-c", command], { cwd, env });
  return existsSync(join(tree, "ran"));
}

describe("the repository that git uses", () => {
  test("is the project's if its commondir names it, as in the sandbox, and not if that leads elsewhere", () => {
    writeFileSync(join(gitDir, "commondir"), ".\n");
    expect(problem("git log")).toBeUndefined();
    for (const content of ["../elsewhere\n", "../.\n", " .\n", "\n"]) {
      writeFileSync(join(gitDir, "commondir"), content);
      expect(problem("git log"), content).toBeDefined();
    }
  });

  test("may be one without .git whose HEAD is a dangling symlink", () => {
    const bare = join(projectDir, "dir");
    for (const name of ["objects", "refs"]) mkdirSync(join(bare, name));
    symlinkSync("refs/heads/none", join(bare, "HEAD"));
    writeFileSync(join(bare, "config"), evil());
    expect(problem("git -C dir status")).toBeDefined();
    expect(problem("cd dir && git diff")).toBeDefined();
    expect(wouldRun("git -C dir status")).toBe(true);
  });

  test("may be one whose objects are not a directory", () => {
    const bare = join(projectDir, "dir");
    for (const name of ["objects", "refs"]) writeFileSync(join(bare, name), "", { mode: 0o755 });
    writeFileSync(join(bare, "HEAD"), "ref: refs/heads/none\n");
    writeFileSync(join(bare, "config"), evil());
    expect(problem("git -C dir status")).toBeDefined();
    expect(wouldRun("git -C dir status")).toBe(true);
  });

  test("is one further up if .git is incomplete", () => {
    const inner = join(projectDir, "dir");
    mkdirSync(join(inner, ".git"));
    expect(problem("git status", inner)).toBeDefined();
    writeFileSync(join(gitDir, "config"), evil().replace("worktree=..\n", ""));
    expect(problem("git -C dir status")).toBeDefined();
    expect(wouldRun("git status", inner)).toBe(true);
  });

  test.each([
    ["no HEAD", () => rmSync(join(gitDir, "HEAD"))],
    ["another HEAD", () => writeFileSync(join(gitDir, "HEAD"), "x\n")],
    ["no objects", () => rmSync(join(gitDir, "objects"), { recursive: true })],
    ["no refs", () => rmSync(join(gitDir, "refs"), { recursive: true })],
  ])("is uncertain with %s", (_, breakIt) => {
    expect(problem("git log")).toBeUndefined();
    breakIt();
    expect(problem("git log")).toBeDefined();
  });

  test.skipIf(process.getuid?.() === 0)("is uncertain with a directory that cannot be entered", () => {
    chmodSync(join(gitDir, "refs"), 0o600);
    expect(problem("git log")).toBeDefined();
    chmodSync(join(gitDir, "refs"), 0o700);
  });
});

describe("what a repository shows of other places", () => {
  test.each(["objects", "refs/heads", "logs", "packed-refs", "objects/pack"])(
    "needs a question with a symlink at %s",
    (name) => {
      rmSync(join(gitDir, name), { recursive: true, force: true });
      symlinkSync(join(tree, "elsewhere"), join(gitDir, name));
      expect(problem("git log -p")).toBeDefined();
    },
  );

  test("needs a question with objects of another repository", () => {
    writeFileSync(join(gitDir, "objects/info/alternates"), join(tree, "elsewhere"));
    expect(problem("git show main")).toBeDefined();
  });

  test("needs a question with files behind a symlink that replaced a directory", () => {
    rmSync(join(projectDir, "dir"), { recursive: true });
    symlinkSync("../elsewhere", join(projectDir, "dir"));
    expect(git("grep", "SECRET")).toContain("SECRET");
    expect(problem("git grep SECRET")).toBeDefined();
    expect(problem("git diff")).toBeDefined();
    expect(problem("git log -1")).toBeUndefined();
  });

  test("needs a question with more entries than are checked", () => {
    expect(elsewhereProblem(gitDir, { entries: maxEntries })).toBeUndefined();
    let enough = 0;
    while (elsewhereProblem(gitDir, { entries: enough }) !== undefined) enough++;
    expect(enough).toBeGreaterThan(5);
    expect(elsewhereProblem(gitDir, { entries: enough - 1 })).toBe("it is too large to inspect");
  });
});

describe("hooks that the user's configuration takes from the project", () => {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = process.env;
  afterEach(() => {
    for (const [name, value] of Object.entries({ GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test.each([
    ["an included file", "[include]\n\tpath = second\n"],
    ["one included by a condition", `[user]\n\tname = a\n[includeIf "gitdir:/"] # x\n\tpath = "second"\n[core]\n`],
  ])("are found in %s", (_, text) => {
    process.env.GIT_CONFIG_GLOBAL = join(tree, "first");
    writeFileSync(join(tree, "first"), text);
    writeFileSync(join(tree, "second"), `[include]\n\tpath = first\n[core]\n\thooksPath = ${tree}\n`);
    expect(problem("git status")).toBeUndefined();
    writeFileSync(join(tree, "second"), "[core]\n\thooksPath = .githooks\n");
    expect(problem("git status")).toBe("your core.hooksPath leads into the project");
  });

  test("are found in the machine's configuration", () => {
    process.env.GIT_CONFIG_SYSTEM = join(tree, "system");
    writeFileSync(join(tree, "system"), "[core]\n\thooksPath = .githooks\n");
    expect(problem("git status")).toBe("your core.hooksPath leads into the project");
  });

  test("need a question if the configuration has too many files", () => {
    process.env.GIT_CONFIG_GLOBAL = join(tree, "c0");
    for (let index = 0; index < 110; index++)
      writeFileSync(join(tree, `c${index}`), `[include]\n\tpath = c${index + 1}\n`);
    expect(problem("git status")).toBeDefined();
    rmSync(join(tree, "c50"));
    expect(problem("git status")).toBeUndefined();
  });
});

test.each([
  "git log --format=%G?",
  "git show --pretty='format:%h %+GS'",
  "git reflog --format='% GK'",
  "git for-each-ref --format='%(signature:grade)'",
  "git tag -l --sort=signature",
  "git log --format=*",
  "git stash -m list",
  "git stash -q list",
  "git reflog delet* HEAD@{0}",
])("need a question: %s", (command) => {
  expect(problem(command)).toBeDefined();
});
