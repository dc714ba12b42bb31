// Promise 10 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentStep, agentsWorld } from "./agents-world.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";

const scripts = { PARENT: [agentStep("CHILD", { worktree: true }), { text: "Done." }], CHILD: [{ text: "Looked." }] };
const allowed = ["--allow", "agent"];

/** A project with a repository of one commit, whose files all have the attribute `filter=x`. */
async function repositoryWorld(files: Parameters<typeof agentsWorld>[1] = {}, steps: typeof scripts = scripts) {
  const world = await agentsWorld(steps, {
    "project/x.txt": "old\n",
    "project/.gitattributes": "* filter=x\n",
    ...files,
  });
  const env = { ...process.env, HOME: join(world.root, "home") };
  const git = (...args: string[]) =>
    void execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: world.cwd, env });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "Begin");
  const mark = join(world.root, "mark");
  return { ...world, git, mark };
}

test.each([".", "", "node_modules/.bin", "ABSOLUTE"])(
  "with %j on the PATH, no program of the project runs an agent",
  async (place) => {
    const program = { content: '#!/bin/sh\necho x > "$HOME/../mark"\nexit 1\n', mode: 0o755 };
    const names = ["node", "git", "env"].flatMap((name) => [`project/${name}`, `project/node_modules/.bin/${name}`]);
    const steps = [
      agentStep("CHILD"),
      agentStep("CHILD", { background: true }),
      agentStep("CHILD", { worktree: true }),
    ];
    const world = await repositoryWorld(Object.fromEntries(names.map((name) => [name, program])), {
      ...scripts,
      PARENT: [...steps, { text: "Done." }] as typeof scripts.PARENT,
    });
    const directory = place === "ABSOLUTE" ? join(world.cwd, "node_modules/.bin") : place;
    const { report } = await world.run("PARENT", allowed, { env: { PATH: `${directory}:${process.env.PATH}` } });
    const outputs = report.tool_calls.map(({ envelope }) => envelope.result.output);
    expect(outputs).toEqual(["Looked.", expect.stringContaining("in the background"), "Looked."]);
    expect(existsSync(world.mark)).toBe(false);
  },
);

test.each(["smudge", "clean", "process"])("no worktree is made if the repository names a filter (%s)", async (kind) => {
  const world = await repositoryWorld();
  world.git("config", `filter.x.${kind}`, `touch '${world.mark}'; cat`);
  const { report } = await world.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({
    error: `No worktree can be made here: the repository's configuration has "filter.x.${kind}", with which git runs a program or writes elsewhere`,
    error_code: "INVALID_ARG",
  });
  expect([existsSync(world.mark), world.requestsOf("CHILD").length]).toEqual([false, 0]);
});

test("nor if the filter is in a file that the repository's configuration includes", async () => {
  const world = await repositoryWorld();
  writeFileSync(join(world.cwd, "more"), `[filter "x"]\n\tsmudge = "touch '${world.mark}'; cat"\n`);
  world.git("config", "include.path", "../more");
  const { report } = await world.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result.error).toContain("filter.x.smudge");
  expect(existsSync(world.mark)).toBe(false);
});

const conditions = ["gitdir:**/worktrees/**", "gitdir/i:**/WORKTREES/**", "onbranch:ikigai/**", "onbranch:**"];

async function expectNoIncludedFilter(condition: string, options: readonly string[]): Promise<void> {
  const world = await repositoryWorld();
  writeFileSync(join(world.cwd, "more"), `[filter "x"]\n\tsmudge = "touch '${world.mark}'; cat"\n`);
  world.git("config", `includeIf.${condition}.path`, "../more");
  if (condition === "onbranch:**") world.git("checkout", "-q", "--detach");
  const { report } = await world.run("PARENT", [...allowed, ...options]);
  expect(report.tool_calls[0]?.envelope.result.error).toContain("filter.x.smudge");
  expect([existsSync(world.mark), world.requestsOf("CHILD").length]).toEqual([false, 0]);
  const state = join(world.root, "home/.local/state/ikigai/worktrees");
  expect(existsSync(state) ? readdirSync(state) : []).toEqual([]);
  expect(execFileSync("git", ["branch", "--list", "ikigai/*"], { cwd: world.cwd, encoding: "utf8" })).toBe("");
}

test.each(conditions)("nor if a file has it that is included only in the worktree: %s", async (condition) => {
  await expectNoIncludedFilter(condition, []);
});

test.skipIf(!hasBubblewrap).each(conditions)("also in the sandbox (needs bwrap): %s", async (condition) => {
  await expectNoIncludedFilter(condition, ["--sandbox"]);
});

test("nor if the configuration has git write the files elsewhere", async () => {
  const world = await repositoryWorld();
  const elsewhere = join(world.root, "elsewhere");
  mkdirSync(elsewhere);
  world.git("config", "extensions.worktreeConfig", "true");
  world.git("config", "core.worktree", elsewhere);
  const { report } = await world.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result.error).toContain("core.worktree");
  expect([readdirSync(elsewhere), world.requestsOf("CHILD").length]).toEqual([[], 0]);
});

test.each(["x", "a=b", "Odd.Name"])("no filter runs, also none of the user's: %s", async (name) => {
  const command = 'touch \\"$HOME/../mark\\"; cat';
  const config = `[filter "${name}"]\n\tsmudge = "${command}"\n\tclean = "${command}"\n\trequired = true\n`;
  const world = await repositoryWorld({
    "home/.gitconfig": "",
    "project/.gitattributes": `* filter=${name}\n`,
  });
  writeFileSync(join(world.root, "home/.gitconfig"), config);
  const { report } = await world.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result).toMatchObject({ output: "Looked." });
  expect(existsSync(world.mark)).toBe(false);
  world.git("checkout", "-q", "-f", "HEAD");
  rmSync(join(world.cwd, "x.txt"));
  world.git("checkout", "x.txt");
  expect(existsSync(world.mark)).toBe(true);
});

/** What makes a repository use the files of another one. */
const borrowing: Readonly<Record<string, (git: string, other: string) => void>> = {
  "a .git file": (git, other) => {
    renameSync(git, `${git}.old`);
    writeFileSync(git, `gitdir: ${other}\n`);
  },
  commondir: (git, other) => writeFileSync(join(git, "commondir"), `${other}\n`),
  alternates: (git, other) => {
    mkdirSync(join(git, "objects/info"), { recursive: true });
    writeFileSync(join(git, "objects/info/alternates"), `${other}/objects\n`);
  },
  "a linked directory of objects": (git, other) => {
    rmSync(join(git, "objects"), { recursive: true });
    symlinkSync(join(other, "objects"), join(git, "objects"));
  },
  "linked branches": (git, other) => {
    execFileSync("git", ["pack-refs", "--all"], { cwd: join(git, "..") });
    rmSync(join(git, "refs/heads"), { recursive: true });
    symlinkSync(join(other, "refs/heads"), join(git, "refs/heads"));
  },
  "linked logs": (git, other) => {
    rmSync(join(git, "logs"), { recursive: true });
    symlinkSync(join(other, "logs"), join(git, "logs"));
  },
  "a linked pack": (git, other) => {
    rmSync(join(git, "objects/pack"), { recursive: true, force: true });
    symlinkSync(join(other, "objects/pack"), join(git, "objects/pack"));
  },
};

test.each(Object.keys(borrowing))("no copy is made of another repository: %s", async (way) => {
  const world = await repositoryWorld();
  const other = join(world.root, "other");
  execFileSync("git", ["clone", "-q", world.cwd, other]);
  borrowing[way]?.(join(world.cwd, ".git"), join(other, ".git"));
  const { report } = await world.run("PARENT", allowed);
  expect(report.tool_calls[0]?.envelope.result.error).toMatch(
    /leads to another repository|borrows objects|symbolic link|cannot be read|not a git repository/,
  );
  expect(world.requestsOf("CHILD")).toHaveLength(0);
  expect(execFileSync("git", ["branch", "--list", "ikigai/*"], { cwd: other, encoding: "utf8" })).toBe("");
});
